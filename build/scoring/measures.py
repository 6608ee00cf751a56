"""How well predictions agree with means of human ratings: the numbers, from arrays alone.

Conventions: arrays are (songs, targets), a target being a term or a dimension. NaN among ratings: not rated, or not
applicable; it is left out. NaN among predictions: nothing was predicted. That counts as the mean of what was predicted
along the axis of the correlation, so leaving something out cannot help; a constant prediction has r = 0.

References: Cohen (1988), Statistical Power Analysis, ch. 4 (q); Efron and Tibshirani (1993), An Introduction to the
Bootstrap, ch. 13 and 16; Kendall (1945), The treatment of ties in ranking problems, Biometrika 33 (tau-b).
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from build.analysis.correlation import Floats, interval, mean_defined, pearson, song_draws

FLAT = 1e-12  # spread of a constant prediction, relative to its largest value: rounding alone


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % percentile interval over bootstrap draws of songs; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


def filled(predicted: Floats) -> Floats:
    """`predicted` (rows, columns) with the mean of each column for NaN, and 0 in a column without any value."""
    means = mean_defined(predicted, axis=0)
    return np.where(np.isfinite(predicted), predicted, np.where(np.isfinite(means), means, 0.0))


def is_constant(predicted: Floats) -> NDArray[np.bool_]:
    """Whether each column of `predicted` (rows, columns; no NaN) says the same everywhere."""
    if not len(predicted):
        return np.ones(predicted.shape[1], bool)
    return np.ptp(predicted, axis=0) <= FLAT * np.abs(predicted).max(axis=0)


def correlations(rated: Floats, predicted: Floats, weights: Floats | None = None) -> Floats:
    """Pearson's r over rows, for each column: shape (draws, columns), one draw where `weights` is None.

    `weights` (draws, rows) says how often a bootstrap draw holds each row. NaN where the ratings cannot tell: fewer
    than three, or all alike.
    """
    predicted = filled(predicted)
    spread = np.where(is_constant(predicted), np.inf, predicted.std(axis=0)) if len(predicted) else 1.0
    r = pearson(rated, (predicted - predicted.mean(axis=0, keepdims=True)) / spread, weights)
    measurable = np.isfinite(pearson(rated, rated, weights))
    return np.where(np.isnan(r) & measurable, 0.0, r)


def within_targets(rated: Floats, predicted: Floats, weights: Floats | None = None) -> Floats:
    """The primary measure: r over songs within each target, averaged over targets. Shape (draws,)."""
    return mean_defined(correlations(rated, predicted, weights), axis=1)


def within_songs(rated: Floats, predicted: Floats, weights: Floats | None = None) -> Floats:
    """The second measure: r over targets within each song, averaged over songs. Shape (draws,).

    Targets differ in how much they fit any song, so this can be high without listening: see the train-mean baseline.
    """
    r = correlations(rated.T, predicted.T)[0]
    weights = np.ones((1, len(r))) if weights is None else weights
    defined = np.isfinite(r)
    count = weights @ defined.astype(float)
    return np.where(count > 0, weights @ np.where(defined, r, 0.0) / np.maximum(count, 1), np.nan)


def estimate(whole: Floats, draws: Floats) -> Estimate:
    """The value on all songs (shape (1,)) with the interval of the same value on bootstrap draws."""
    bounds = interval(draws) or (None, None)
    return Estimate(float(whole[0]) if np.isfinite(whole[0]) else None, *bounds)


def draw_songs(n_songs: int, n_draws: int, seed: int) -> Floats:
    """Bootstrap draws as weights (draws, songs), the same for every system that is scored with this seed."""
    return song_draws(n_songs, n_draws, seed)


def cohens_q(first: float, second: float) -> float | None:
    """The difference of Fisher's z of two correlations; None where one is 1 or -1, to rounding.

    >>> round(cohens_q(0.46, 0.11), 2)
    0.39
    """
    if max(abs(first), abs(second)) >= 1.0 - FLAT:
        return None
    return math.atanh(first) - math.atanh(second)


def bootstrap_p(differences: Floats) -> float | None:
    """Two-sided p of "no difference" from paired bootstrap draws: twice the share on the rarer side of zero.

    One is added to both counts (Davison and Hinkley 1997, section 4.2), so that p is never 0.
    """
    defined = differences[np.isfinite(differences)]
    if not defined.size:
        return None
    rarer = min(np.count_nonzero(defined <= 0), np.count_nonzero(defined >= 0))
    return float(min(1.0, 2.0 * (rarer + 1) / (defined.size + 1)))


def squared_errors(rated: Floats, predicted: Floats) -> Floats:
    """Mean squared error of each target over the songs rated; NaN where nothing was rated or predicted."""
    there = np.isfinite(predicted).any(axis=0) if len(predicted) else np.zeros(predicted.shape[1], bool)
    errors = mean_defined((rated - filled(predicted)) ** 2, axis=0)
    return np.where(there, errors, np.nan)


def rank_correlations(rated: Floats, predicted: Floats) -> tuple[Floats, Floats]:
    """Spearman's rho and Kendall's tau-b of each target; 0 and NaN as in `correlations`."""
    measurable = np.isfinite(correlations(rated, rated)[0])
    predicted = filled(predicted)
    rho, tau = np.full(rated.shape[1], np.nan), np.full(rated.shape[1], np.nan)
    for column in np.flatnonzero(measurable):
        there = np.isfinite(rated[:, column])
        pair = rated[there, column], predicted[there, column]
        flat = is_constant(pair[1][:, None])[0]
        rho[column] = 0.0 if flat else scipy.stats.spearmanr(*pair).statistic
        tau[column] = 0.0 if flat else scipy.stats.kendalltau(*pair).statistic
    return rho, tau
