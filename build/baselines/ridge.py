"""Ridge regression from features to mean ratings, its strength chosen on the published folds (pure)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from build.analysis.correlation import Floats, mean_defined
from build.scoring.measures import within_targets

ALPHAS = tuple(float(10.0**power) for power in range(-1, 6))  # of standardised features, so that they mean the same
LEAST_SONGS = 3  # that must be rated for a term to be learnt


@dataclass(frozen=True)
class Fit:
    """A fitted ridge: `alpha`, and the cross-validated primary measure of every alpha that was tried."""

    alpha: float
    tried: dict[float, float]
    mean: Floats
    scale: Floats
    weights: Floats
    offsets: Floats

    def predict(self, features: Floats) -> Floats:
        """Mean ratings (songs, terms) of `features` (songs, features)."""
        return (features - self.mean) / self.scale @ self.weights + self.offsets


def choose(features: Floats, rated: Floats, folds: NDArray[np.int64]) -> Fit:
    """The ridge of all training songs, with the alpha that does best on folds that it was not fitted on.

    features : (songs, features); rated : (songs, terms), NaN where nobody rated; folds : (songs,)
    """
    tried = {alpha: _cross_validated(features, rated, folds, alpha) for alpha in ALPHAS}
    best = max(tried, key=lambda alpha: (np.nan_to_num(tried[alpha], nan=-np.inf), alpha))
    return fit(features, rated, best, tried)


def fit(features: Floats, rated: Floats, alpha: float, tried: dict[float, float] | None = None) -> Fit:
    """The ridge of these songs; each term by the songs that are rated on it."""
    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    standard = (features - mean) / scale
    weights, offsets = np.zeros((features.shape[1], rated.shape[1])), mean_defined(rated, axis=0)
    for songs, terms in _alike(np.isfinite(rated)):
        if np.count_nonzero(songs) >= LEAST_SONGS:
            model = Ridge(alpha=alpha).fit(standard[songs], rated[np.ix_(songs, terms)])
            weights[:, terms], offsets[terms] = model.coef_.reshape(len(terms), -1).T, model.intercept_
    return Fit(alpha, tried or {}, mean, scale, weights, offsets)


def _alike(there: NDArray[np.bool_]) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """(songs, terms) for terms that are rated for the same songs, which are fitted at once."""
    patterns, index = np.unique(there, axis=1, return_inverse=True)
    return [(patterns[:, place], np.flatnonzero(index.ravel() == place)) for place in range(patterns.shape[1])]


def _cross_validated(features: Floats, rated: Floats, folds: NDArray[np.int64], alpha: float) -> float:
    """The primary measure on each fold by the ridge of the others, averaged over folds."""
    values = []
    for fold in np.unique(folds):
        held = folds == fold
        if held.any() and not held.all():
            predicted = fit(features[~held], rated[~held], alpha).predict(features[held])
            values.append(within_targets(rated[held], predicted))
    return float(mean_defined(np.concatenate(values), axis=0)) if values else float("nan")
