from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

from build.analysis.agreement import FEW_LANGUAGES, NOT_RATED, agreement
from build.analysis.answers import first_answers
from build.analysis.concepts import CONCEPTS
from build.analysis.correlation import song_draws
from build.analysis.reliability import half_means
from build.ratings import summarise
from tests.analysis.simulated import permuted, ratings, terms, two_point

pytestmark = pytest.mark.filterwarnings("error")

LANGUAGES = ("arabic", "english", "french", "spanish")
TERMS = terms([(language, "t00", "sad") for language in LANGUAGES])
SADNESS = pa.Table.from_pylist([{"concept": "sadness", "gloss": "sad"}], CONCEPTS)


def world(chances: dict[str, np.ndarray], n_raters: int = 4) -> pa.Table:
    tables = [two_point(chance[:, None], n_raters, seed, name) for seed, (name, chance) in enumerate(chances.items())]
    return pa.concat_tables(tables)


def measured(table: pa.Table, **options) -> dict:
    kept, dropped = agreement(table, summarise(table), TERMS, SADNESS, **options)
    assert dropped.num_rows == 0
    [row] = kept.to_pylist()
    return row


def chances(n_songs: int, shared: float, seed: int) -> dict[str, np.ndarray]:
    """Chances with variance 1/48 in each language, of which `shared` is common to all of them."""
    rng = np.random.default_rng(seed)
    common = rng.uniform(-0.25, 0.25, n_songs)
    own = rng.uniform(-0.25, 0.25, (len(LANGUAGES), n_songs))
    return {
        language: 0.5 + np.sqrt(shared) * common + np.sqrt(1 - shared) * own[i] for i, language in enumerate(LANGUAGES)
    }


def means(table: pa.Table, language: str) -> np.ndarray:
    frame = summarise(table).to_pandas().query("language == @language").sort_values("song_id")
    return frame["mean"].to_numpy(float)


def test_between_is_the_mean_over_pairs_of_scipys_r():
    table = world(chances(30, 0.8, seed=1))
    r = [scipy.stats.pearsonr(means(table, a), means(table, b))[0] for a, b in combinations(LANGUAGES, 2)]
    row = measured(table, n_splits=2, n_draws=2)
    assert row["between_r"] == pytest.approx(np.mean(r), abs=1e-9)
    assert row["n_pairs"] == 6


def test_within_is_the_mean_over_languages_of_their_split_half_reliability():
    table = world(chances(30, 0.8, seed=2))
    full = []
    for language in LANGUAGES:
        answers = first_answers(table, language)
        halves = [scipy.stats.pearsonr(*half_means(answers, split, seed=5)[..., 0])[0] for split in range(3)]
        full.append(np.mean([2 * r / (1 + abs(r)) for r in halves]))
    assert measured(table, n_splits=3, n_draws=2, seed=5)["within_r"] == pytest.approx(np.mean(full), abs=1e-9)


def test_the_interval_comes_from_repeating_drawn_songs_in_all_languages():
    table = world(chances(20, 0.8, seed=3))
    vectors = np.stack([means(table, language) for language in LANGUAGES])
    values = []
    for draw in song_draws(20, 50, seed=7):
        drawn = np.repeat(vectors, draw.astype(int), axis=1)
        values.append(np.mean([scipy.stats.pearsonr(a, b)[0] for a, b in combinations(drawn, 2)]))
    row = measured(table, n_splits=2, n_draws=50, seed=7)
    assert [row["between_low"], row["between_high"]] == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=1e-9)


def between_truth(shared: float, n_raters: int) -> float:
    signal = 1 / 48
    noise = (0.25 - signal) / n_raters
    return shared * signal / (signal + noise)


def near(r: float, truth: float, n_songs: int) -> bool:
    """Within four standard errors of a single r, (1 - r^2) / sqrt(n - 1); the mean over pairs has a smaller one."""
    return abs(r - truth) < 4 * (1 - truth**2) / np.sqrt(n_songs - 1)


def test_between_recovers_the_truth_and_not_from_permuted_songs():
    """Means of k answers of 1 or 5 have, in units of 16, signal variance 1/48 and noise (1/4 - 1/48) / k."""
    table = world(chances(300, 0.8, seed=4), n_raters=12)
    truth = between_truth(0.8, 12)
    assert near(measured(table, n_splits=2, n_draws=2)["between_r"], truth, 300)
    assert not near(measured(permuted(table, seed=5), n_splits=2, n_draws=2)["between_r"], truth, 300)


def test_within_exceeds_between_only_where_cultures_differ():
    same = measured(world(chances(200, 1.0, seed=6), n_raters=12), n_splits=20, n_draws=100)
    other = measured(world(chances(200, 0.1, seed=6), n_raters=12), n_splits=20, n_draws=100)
    assert same["between_low"] < same["within_high"]
    assert other["between_high"] < other["within_low"]


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    """40 worlds at 95 %: 38 hits expected, sd sqrt(40 x .95 x .05) = 1.4; percentile intervals are a little short."""
    truth = between_truth(0.8, 4)
    hits = 0
    for seed in range(40):
        row = measured(world(chances(60, 0.8, seed=100 + seed)), n_splits=1, n_draws=200)
        hits += row["between_low"] <= truth <= row["between_high"]
    assert 32 <= hits <= 40


def test_a_concept_of_three_languages_is_excluded_with_a_reason():
    table = world(chances(5, 0.8, seed=8))
    three = terms([(language, "t00", "sad" if language != "french" else "blue") for language in LANGUAGES])
    kept, dropped = agreement(table, summarise(table), three, SADNESS, n_splits=1, n_draws=1)
    assert kept.num_rows == 0
    assert dropped.to_pylist() == [{"concept": "sadness", "reason": FEW_LANGUAGES, "detail": "arabic english spanish"}]


def test_a_concept_rated_in_three_languages_is_excluded_with_a_reason():
    table = world({name: chance for name, chance in chances(5, 0.8, seed=8).items() if name != "french"})
    kept, dropped = agreement(table, summarise(table), TERMS, SADNESS, n_splits=1, n_draws=1)
    assert kept.num_rows == 0
    assert dropped.to_pylist() == [{"concept": "sadness", "reason": NOT_RATED, "detail": "no ratings: french"}]


def test_a_language_without_variance_is_counted_and_left_out_of_the_means():
    varied = world(chances(30, 0.8, seed=9))
    flat = ratings([("french", f"s{i:04d}", p, "t00", 3) for i in range(30) for p in range(4)])
    table = pa.concat_tables([varied.filter(pa.compute.field("language") != "french"), flat])
    row = measured(table, n_splits=2, n_draws=20)
    assert (row["n_pairs"], row["n_pairs_undefined"], row["n_languages_undefined"]) == (6, 3, 1)
    others = [name for name in LANGUAGES if name != "french"]
    r = [scipy.stats.pearsonr(means(table, a), means(table, b))[0] for a, b in combinations(others, 2)]
    assert row["between_r"] == pytest.approx(np.mean(r), abs=1e-9)


def test_nothing_but_constants_gives_nulls_and_counts():
    table = ratings([(name, f"s{i}", p, "t00", 3) for name in LANGUAGES for i in range(5) for p in range(2)])
    row = measured(table, n_splits=2, n_draws=10)
    assert (row["between_r"], row["between_low"], row["within_r"], row["within_high"]) == (None, None, None, None)
    assert (row["n_pairs_undefined"], row["n_languages_undefined"], row["n_draws_undefined"]) == (6, 4, 10)


def test_one_rater_a_song_leaves_within_undefined_and_between_defined():
    table = ratings([(name, f"s{i}", 1, "t00", 1 + i % 5) for name in LANGUAGES for i in range(10)])
    row = measured(table, n_splits=2, n_draws=10)
    assert row["between_r"] == pytest.approx(1.0)
    assert row["within_r"] is None


def test_no_ratings_at_all_exclude_every_concept():
    table = ratings([])
    kept, dropped = agreement(table, summarise(table), TERMS, SADNESS)
    assert (kept.num_rows, dropped["reason"].to_pylist()) == (0, [NOT_RATED])


def test_the_same_seed_gives_the_same_table():
    table = world(chances(20, 0.8, seed=10))
    one, two = (agreement(table, summarise(table), TERMS, SADNESS, 2, 20, seed=3)[0] for _ in range(2))
    assert one.equals(two)
    assert not one.equals(agreement(table, summarise(table), TERMS, SADNESS, 2, 20, seed=4)[0])
