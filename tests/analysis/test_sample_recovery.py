"""From the built sample, the estimators find what the sample was drawn from; from a permuted truth they do not.

The bounds follow from how the sample's raters answer (`build.synthetic.people`): an attentive rater answers
round(3 + (e - 3) S + B + T + N), within 1 to 5, where e is the true value of song and term, log S, B, T and N are
normal with the standard deviations named there; a straightliner answers 2, 3 or 4 alike, a random one anything.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from scipy.spatial import procrustes
from scipy.stats import binom, norm

from build.analysis.raters import check_raters
from build.analysis.reliability import reliability
from build.analysis.space import correlation_distance, embed, space, term_vectors
from build.report.built import Built, read_built
from build.synthetic.people import BIAS_SD, NOISE_SD, SCALE_SD, TASTE_SD
from tests.analysis.simulated import permuted

EDGES = np.array([1.5, 2.5, 3.5, 4.5])  # where answers round up
SPREAD = np.sqrt(BIAS_SD**2 + TASTE_SD**2 + NOISE_SD**2)


class Truth(NamedTuple):
    """For terms (language, term_id), in sorted order, and sorted songs: true values, and how raters answer them."""

    terms: list[tuple[str, str]]
    value: np.ndarray  # (songs, terms)
    mean: np.ndarray  # (songs, terms), expected answer
    variance: np.ndarray  # (songs, terms), of a single answer
    count: np.ndarray  # (songs, terms), answers in the sample


def attentive(value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and mean square of an attentive answer, by Gauss-Hermite quadrature over the scale use S."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(15)
    felt = 3 + (value[..., None] - 3) * np.exp(SCALE_SD * nodes)
    above = norm.sf((EDGES[:, None, None, None] - felt) / SPREAD) @ (weights / weights.sum())
    return 1 + above.sum(axis=0), 1 + np.tensordot([3, 5, 7, 9], above, axes=1)  # squares step by 3, 5, 7, 9


@pytest.fixture(scope="module")
def built(sample) -> Built:
    return read_built(sample)


@pytest.fixture(scope="module")
def truth(built, sample_source) -> Truth:
    names = {(row["language"], row["term"]): row["term_id"] for row in built.terms.to_pylist()}
    rows = pq.read_table(sample_source / "truth.parquet").to_pylist()
    rows = [
        row | {"term_id": names[row["language"], row["term"]]}
        for row in rows
        if (row["language"], row["term"]) in names
    ]
    _, terms, value = term_vectors(pa.Table.from_pylist([row | {"mean": row["value"]} for row in rows]))
    raters = pq.read_table(sample_source / "truth_raters.parquet")
    trials = {
        kind: pc.sum(raters.filter(pc.field("kind") == kind)["n_trials"]).as_py()
        for kind in pc.unique(raters["kind"]).to_pylist()
    }
    random, straight = (trials[kind] / sum(trials.values()) for kind in ("random", "straightlining"))
    mean, square = attentive(value)
    mean = (1 - random - straight) * mean + (random + straight) * 3
    square = (1 - random - straight) * square + random * 11 + straight * 29 / 3  # means of 1..25 and of 4, 9, 16
    counts = built.cells.set_column(4, "mean", built.cells["count"].cast(pa.float64()))
    return Truth(terms, value, mean, square - mean**2, np.nan_to_num(term_vectors(counts)[2]))


def misfit(built: Built, truth: Truth, mean: np.ndarray) -> float:
    """Mean square of (observed mean - expected) in standard errors; 1 where `mean` is the truth."""
    _, terms, observed = term_vectors(built.cells)
    assert terms == truth.terms
    z = (observed - mean) / np.sqrt(truth.variance / np.maximum(truth.count, 1))
    return float(np.nanmean(z**2))


def test_means_recover_the_truth_and_not_a_permuted_one(built, truth):
    """z^2 has mean 1 and variance about 2; the 11,800 cells give it a standard error of sqrt(2 / 11800) = .013.

    Cells share raters, whose bias is a sixth of the variance: two cells of a term share about 2.4 of 8.4 raters, so
    z correlates by .05 and z^2 by .0025, which makes the error at most twice as large; four of these are .10.
    """
    assert misfit(built, truth, truth.mean) == pytest.approx(1, abs=0.10)
    assert misfit(built, truth, np.random.default_rng(1).permutation(truth.mean)) > 2


def mean_share(counts: np.ndarray) -> float:
    """Mean of 1 / raters of a half, for cells whose raters fall to either half with equal chance, neither empty."""
    shares = []
    for count in counts[counts >= 2].astype(int):
        half = np.arange(1, count)
        chance = binom.pmf(half, count, 0.5)
        shares.append((chance / half).sum() / chance.sum())
    return float(np.mean(shares))


def standard_errors_off(built: Built, truth: Truth, ratings: pa.Table) -> np.ndarray:
    """How far each term's reliability is from the truth, in standard errors.

    With signal variance V over songs, answer variance N and k raters in a half, two halves correlate by
    r = V / (V + N mean(1/k)). Over n songs r has a standard error of (1 - r^2) / sqrt(n - 1), and the stepped-up
    2r / (1 + r) one of 2 (1 - r) / ((1 + r) sqrt(n - 1)).
    """
    measured = {
        (row["language"], row["term_id"]): row["reliability"] for row in reliability(ratings, built.terms).to_pylist()
    }
    signal, noise = truth.mean.var(axis=0, ddof=1), truth.variance.mean(axis=0)
    r = signal / (signal + noise * np.array([mean_share(count) for count in truth.count.T]))
    error = 2 * (1 - r) / ((1 + r) * np.sqrt(len(truth.mean) - 1))
    return np.array([measured[term] for term in truth.terms]) / error - 2 * r / (1 + r) / error


def test_reliabilities_recover_the_truth_and_not_from_permuted_songs(built, truth):
    """On average (errors share raters) within one standard error, and each within 4.5: one in 1,500 for 100 terms."""
    off = standard_errors_off(built, truth, built.ratings)
    assert np.abs(off).max() < 4.5
    assert abs(off.mean()) < 1
    assert standard_errors_off(built, truth, permuted(built.ratings, seed=2)).max() < -4.5


def test_rater_checks_find_the_straightliners_and_those_who_left(built, sample_source):
    """Both leave no doubt: all answers alike, and five trials and a repeat where others make at least ten."""
    truth = pq.read_table(sample_source / "truth_raters.parquet").to_pandas()
    people = check_raters(built.ratings).to_pandas().explode("flags")
    found = people.groupby(["language", "flags"]).size()
    for language, raters in truth.groupby("language"):
        for check in ("straightlining", "few"):
            assert found[language, check] == (raters["kind"] == check).sum()


def test_the_mood_space_recovers_the_true_one_and_not_a_permuted_one(built, truth):
    """Distances 1 - r over 118 songs have standard errors up to 1 / sqrt(118) = .09, a tenth of their mean of about 1.

    Were all errors in line, points would be off by that share, and the Procrustes disparity, a share of squares, would
    be .01; for two such errors .04. Unrelated spaces have a disparity near 1.
    """
    true = embed(correlation_distance(truth.value), seed=0)
    found = space(built.cells)
    assert list(found.terms) == truth.terms
    assert procrustes(true, found.points)[2] < 0.04
    assert procrustes(np.random.default_rng(3).permutation(true), found.points)[2] > 0.5
