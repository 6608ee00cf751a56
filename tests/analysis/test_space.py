import warnings

import numpy as np
import pyarrow as pa
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist, squareform

from build.analysis.space import (
    ALL_ALIKE,
    FEW_SONGS,
    FEW_TERMS,
    NO_OVERLAP,
    correlation_distance,
    embed,
    mds_arguments,
    space,
    stress_1,
)
from build.tables import CELLS

pytestmark = pytest.mark.filterwarnings("error")


def cells(means: dict[tuple[str, str], list[float | None]]) -> pa.Table:
    rows = [
        {"language": language, "term_id": term_id, "song_id": f"s{song:03d}", "count": 4, "mean": mean, "std": 1.0}
        for (language, term_id), values in means.items()
        for song, mean in enumerate(values)
        if mean is not None
    ]
    return pa.Table.from_pylist(rows, CELLS)


def moods(n_terms: int, seed: int, n_songs: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Directions of terms in a plane of two moods, and their means over songs of random mood: r is their cosine."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, n_terms, endpoint=False)
    directions = np.column_stack([np.cos(angle), np.sin(angle)])
    return directions, rng.normal(size=(n_songs, 2)) @ directions.T


def placed(means: np.ndarray, **options) -> np.ndarray:
    table = cells({("english", f"t{i:02d}"): column.tolist() for i, column in enumerate(means.T)})
    return space(table, **options).points


def test_correlation_distance_agrees_with_scipy():
    _, means = moods(8, seed=1)
    assert correlation_distance(means) == pytest.approx(squareform(pdist(means.T, "correlation")), abs=1e-9)


def recovers(means: np.ndarray, directions: np.ndarray) -> bool:
    """Is the space the true one up to turning and scaling, by a Procrustes disparity under .02?

    r over n songs has a standard error of (1 - r^2) / sqrt(n), so distances 1 - r, of order 1, are off by at most
    1 / sqrt(400) = .05 each; points follow distances, so the disparity, a sum of squares relative to the total, stays
    about .05^2 / 2 a coordinate; .02 leaves room for what order alone does not fix. Unrelated points come near 1.
    """
    return procrustes(directions, placed(means))[2] < 0.02


def test_the_space_recovers_true_directions_and_not_from_permuted_terms():
    directions, means = moods(20, seed=2)
    assert recovers(means, directions)
    assert not recovers(means, np.random.default_rng(3).permutation(directions))


def test_points_in_a_plane_fit_without_stress():
    points = np.random.default_rng(4).normal(size=(12, 2))
    distances = squareform(pdist(points))
    found = embed(distances, seed=0)
    assert stress_1(found, distances) < 0.01
    assert procrustes(points, found)[2] < 0.01


def test_stress_is_kruskals_by_hand():
    """Spreads 1, 3, 2 for distances 1, 2, 3: fitted 1, 2.5, 2.5; sqrt((0 + .25 + .25) / (1 + 9 + 4))."""
    points = np.array([[0.0], [1.0], [3.0]])
    distances = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    assert stress_1(points, distances) == pytest.approx(np.sqrt(0.5 / 14), abs=1e-12)


def test_identical_terms_stay_together():
    _, means = moods(16, seed=5)
    columns = [*means.T, means[:, 0], means[:, 0]]
    found = space(cells({("english", f"t{i:02d}"): column.tolist() for i, column in enumerate(columns)}))
    twins = found.points[[0, 16, 17]]
    assert len(found.terms) == 18
    assert not found.excluded
    assert np.linalg.norm(twins - twins[0], axis=1).max() < 0.05
    assert np.linalg.norm(found.points[1:16] - twins[0], axis=1).min() > 0.1


def test_nothing_but_identical_terms_fall_on_one_point():
    column = [1.0, 2.0, 5.0, 3.0]
    found = space(cells({("english", f"t{i}"): column for i in range(5)}))
    assert len(found.terms) == 5
    assert np.isfinite(found.points).all()


def test_terms_that_cannot_be_compared_are_left_out_with_a_reason():
    _, means = moods(5, seed=6, n_songs=20)
    columns = {("english", f"t{i}"): column.tolist() for i, column in enumerate(means.T)}
    columns["english", "constant"] = [3.0] * 20
    columns["english", "rare"] = [1.0, 2.0] + [None] * 18
    columns["korean", "elsewhere"] = [None] * 20 + [1.0, 2.0, 3.0, 4.0]
    found = space(cells(columns))
    assert [term_id for _, term_id in found.terms] == ["t0", "t1", "t2", "t3", "t4"]
    assert found.excluded == {
        ("english", "constant"): ALL_ALIKE,
        ("english", "rare"): FEW_SONGS,
        ("korean", "elsewhere"): NO_OVERLAP,
    }


@pytest.mark.parametrize("n_terms", [0, 1, 3])
def test_too_few_terms_have_no_space(n_terms):
    columns = {("english", f"t{i}"): [1.0, 2.0, 3.0 + i, 1.0] for i in range(n_terms)}
    found = space(cells(columns))
    assert found.points.shape == (0, 2)
    assert found.stress is None
    assert found.excluded == dict.fromkeys(columns, FEW_TERMS)


def test_the_same_seed_gives_the_same_points():
    _, means = moods(10, seed=7)
    assert np.array_equal(placed(means, seed=1), placed(means, seed=1))


def test_points_are_centred_with_unit_mean_square_along_principal_axes():
    points = placed(moods(10, seed=8)[1])
    assert points.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert (points**2).sum(axis=1).mean() == pytest.approx(1)
    assert points[:, 0] @ points[:, 1] == pytest.approx(0, abs=1e-9)
    assert points[:, 0].var() >= points[:, 1].var()
    assert (points[np.abs(points).argmax(axis=0), [0, 1]] > 0).all()


def test_arguments_fit_the_names_before_and_after_they_changed():
    old = mds_arguments({"metric", "dissimilarity", "n_init"}, 1, 2)
    new = mds_arguments({"metric_mds", "metric", "init", "dissimilarity"}, 1, 2)
    assert (old["metric"], old["dissimilarity"], "init" in old) == (False, "precomputed", False)
    assert (new["metric_mds"], new["metric"], new["init"], "dissimilarity" in new) == (
        False,
        "precomputed",
        "random",
        False,
    )


def test_the_installed_scikit_learn_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        placed(moods(6, seed=9)[1])
