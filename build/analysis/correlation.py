"""Pearson's r by columns, with missing values and song weights, and the Spearman-Brown step-up.

Conventions: the first axis of data is songs; NaN in data is a missing value; NaN in a result is an undefined r.

References: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13 (percentile interval);
Krus and Helmstadter (1993), The problem of negative reliabilities, EPM 53, 643-650.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MIN_SONGS = 3  # with two songs, r is 1 or -1 whatever the ratings are
NO_VARIANCE = 1e-10  # squared rating points; float32 means of equal ratings differ by less, real ones by far more
CONFIDENCE = 0.95


def pearson(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
    """Pearson's r of each column of `x` with the same column of `y` over the songs that both have.

    x, y: (songs, columns). weights: (draws, songs), how often a bootstrap draw holds each song; default: one draw
    with every song once. Returns (draws, columns); NaN where fewer than three songs are common or one side is constant.
    """
    weights = np.ones((1, len(x))) if weights is None else weights
    both = np.isfinite(x) & np.isfinite(y)
    x, y = _centred(x, both), _centred(y, both)
    n = weights @ both.astype(float)
    share = np.divide(1.0, n, out=np.zeros_like(n), where=n > 0)
    mean_x, mean_y = (weights @ x) * share, (weights @ y) * share
    var_x = (weights @ (x * x)) * share - mean_x**2
    var_y = (weights @ (y * y)) * share - mean_y**2
    covariance = (weights @ (x * y)) * share - mean_x * mean_y
    defined = (both.sum(axis=0) >= MIN_SONGS) & (var_x > NO_VARIANCE) & (var_y > NO_VARIANCE)
    scale = np.sqrt(np.where(defined, var_x * var_y, 1.0))
    return np.where(defined, np.clip(covariance / scale, -1.0, 1.0), np.nan)


def _centred(x: Floats, valid: NDArray[np.bool_]) -> Floats:
    """Columns minus their mean over the valid entries, zero elsewhere: keeps the one-pass moments exact."""
    kept = np.where(valid, x, 0.0)
    mean = kept.sum(axis=0) / np.maximum(valid.sum(axis=0), 1)
    return np.where(valid, kept - mean, 0.0)


def stepped_up(half: Floats) -> Floats:
    """Reliability of all raters from the correlation of two halves: 2r / (1 + |r|).

    For r >= 0 this is Spearman-Brown. For r < 0 the classical 2r / (1 + r) falls below -1 and has a pole at -1;
    Krus and Helmstadter's form keeps it within [-1, 1] and odd, so that chance alone averages to zero.
    """
    return 2.0 * half / (1.0 + np.abs(half))


def mean_defined(values: Floats, axis: int) -> Floats:
    """The mean of the defined (not NaN) values along `axis`; NaN where there are none."""
    defined = np.isfinite(values)
    count = defined.sum(axis=axis)
    total = np.where(defined, values, 0.0).sum(axis=axis)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def interval(draws: Floats) -> tuple[float, float] | None:
    """The percentile interval of the defined draws (1-d), or None where there are none."""
    defined = draws[np.isfinite(draws)]
    if not defined.size:
        return None
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(defined, [tail, 1.0 - tail])
    return float(low), float(high)


def song_draws(n_songs: int, n_draws: int, seed: int) -> Floats:
    """Bootstrap draws of songs with replacement as counts: shape (draws, songs), each row adding up to `n_songs`."""
    if not n_songs:
        return np.zeros((n_draws, 0))
    return np.random.default_rng(seed).multinomial(n_songs, np.full(n_songs, 1.0 / n_songs), size=n_draws).astype(float)
