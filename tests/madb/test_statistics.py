import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from build.madb import statistics
from build.madb.contract import SCORES


def scores(**columns: list) -> pa.Table:
    rows = len(next(iter(columns.values())))
    return pa.table({name: pa.array(columns.get(name, [None] * rows), pa.float32()) for name in SCORES})


def test_distributions_leave_out_what_does_not_apply():
    row = statistics.distributions(scores(melody_emotion=[1, 2, 3, 4, None]))[2]
    assert (row["name"], row["n"], row["not_applicable"]) == ("melody_emotion", 4, 1)
    assert (row["mean"], row["sd"]) == pytest.approx((2.5, np.sqrt(5 / 3)))
    assert (row["min"], row["lower"], row["median"], row["max"]) == (1, 1.75, 2.5, 4)


def test_a_dimension_that_applies_to_nothing_has_no_distribution():
    row = statistics.distributions(scores(melody_emotion=[1, 2]))[0]
    assert (row["n"], row["mean"], row["median"]) == (0, None, None)


def test_sources_have_means_of_their_own():
    table = scores(overall_score=[1, 3, 5]).append_column("source", pa.array(["levo", "levo", "suno"]))
    assert statistics.by_source(table) == [
        {"source": "suno", "n": 1, "mean": 5.0, "sd": None},
        {"source": "levo", "n": 2, "mean": 2.0, "sd": pytest.approx(2**0.5)},
    ]


def test_correlations_agree_with_pandas_over_tracks_that_have_both():
    rng = np.random.default_rng(1)
    values = rng.uniform(1, 5, (40, len(SCORES))).astype(np.float32)
    values[rng.random(values.shape) < 0.2] = np.nan
    frame = pd.DataFrame(values, columns=list(SCORES))
    measured = np.array(statistics.correlation(pa.Table.from_pandas(frame)), float)
    assert measured == pytest.approx(frame.astype(float).corr().to_numpy(), abs=1e-9)


def test_tags_are_counted():
    table = pa.table({"mood": [["sad"], ["happy", "sad"], []]})
    assert statistics.tag_counts(table, "mood") == {"sad": 2, "happy": 1}


SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)


def test_icc_of_shrout_and_fleiss():
    group = np.repeat(np.arange(6), 4)
    one, mean, n, k = statistics.one_way_icc(group, SHROUT_FLEISS.ravel())
    assert (one, mean) == pytest.approx((0.1657, 0.4428), abs=5e-5)
    assert (n, k) == (6, 4)


def test_icc_agrees_with_pingouin():
    pingouin = pytest.importorskip("pingouin")
    rng = np.random.default_rng(2)
    values = (rng.normal(0, 1, (30, 1)) + rng.normal(0, 1, (30, 5))).ravel()
    frame = pd.DataFrame({"t": np.repeat(np.arange(30), 5), "r": np.tile(np.arange(5), 30), "v": values})
    peer = pingouin.intraclass_corr(frame, targets="t", raters="r", ratings="v")["ICC"].to_numpy()
    assert statistics.one_way_icc(frame.t.to_numpy(), values)[:2] == pytest.approx((peer[0], peer[3]), abs=1e-9)


def test_icc_of_unequal_numbers_by_hand():
    """Groups 1 3 5 and 4 6: means 3 and 5, k = (5 - 13/5) / 1, squares between 4.8, within (8 + 2) / 3."""
    one, mean, _, k = statistics.one_way_icc(np.array([0, 0, 0, 1, 1, 2]), np.array([1.0, 3, 5, 4, 6, 9]))
    assert k == pytest.approx(2.4)
    assert mean == pytest.approx((4.8 - 10 / 3) / 4.8)
    assert one == pytest.approx((4.8 - 10 / 3) / (4.8 + 1.4 * 10 / 3))


@pytest.mark.parametrize("values", [[2.0, 2, 2, 2], []], ids=["all alike", "nothing"])
def test_icc_without_variance_is_undefined(values):
    group = np.arange(len(values)) // 2
    assert statistics.one_way_icc(group, np.array(values))[:2] == (None, None)


def test_agreement_tells_only_dimensions_with_single_scores():
    table = scores(rhythm_perception=[1, 2, 4, 5]).append_column("id", pa.array([1, 1, 2, 2]))
    told = statistics.agreement(table)
    assert [(row["name"], row["n_tracks"], row["raters"]) for row in told] == [("rhythm_perception", 2, 2.0)]
