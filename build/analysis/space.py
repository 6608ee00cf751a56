"""The mood space: all languages' terms as points, near each other where the same songs evoke them.

Non-metric multidimensional scaling (Kruskal 1964, Psychometrika 29) of correlation distances, by scikit-learn.
Two traps of it are handled here: its arguments were renamed between versions, and in non-metric mode it takes a
distance of zero for a missing value, so that identical terms would fall apart: they get TIE instead.

A solution has no direction of its own. It is turned to its principal axes and scaled to unit mean square, and is
to be compared by Procrustes, never coordinate by coordinate.
"""

import inspect
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression
from sklearn.manifold import MDS

from build.analysis.answers import indexed
from build.analysis.correlation import MIN_SONGS, NO_VARIANCE, Floats, pearson

TIE = 1e-6  # the distance of terms with equal means, far below that of any other two
STARTS = 8  # random starts; the best is kept
MAX_ITERATIONS = 1000
FEW_SONGS = f"rated for fewer than {MIN_SONGS} songs"
ALL_ALIKE = "the same mean for every song"
NO_OVERLAP = "no correlation with another term over the songs that both are rated for"
FEW_TERMS = "fewer than 4 terms left to place"
MIN_TERMS = 4  # three terms fit any distances in a plane


@dataclass(frozen=True)
class Space:
    """Placed terms (language, term_id), their `points` (terms, dimensions), stress-1, and why others were left out.

    Reasons are FEW_SONGS, ALL_ALIKE, NO_OVERLAP and FEW_TERMS.
    """

    terms: tuple[tuple[str, str], ...]
    points: Floats
    stress: float | None
    excluded: dict[tuple[str, str], str]


def space(cells: pa.Table, seed: int = 0, dimensions: int = 2) -> Space:
    """Place the terms of CELLS by non-metric MDS of their correlation distances over songs."""
    _, terms, means = term_vectors(cells)
    kept, excluded = _comparable(terms, means)
    if len(kept) < MIN_TERMS:
        return Space((), np.zeros((0, dimensions)), None, excluded | {terms[i]: FEW_TERMS for i in kept})
    distances = correlation_distance(means[:, kept])
    points = embed(distances, seed, dimensions)
    return Space(tuple(terms[i] for i in kept), points, stress_1(points, distances), excluded)


def term_vectors(cells: pa.Table) -> tuple[list[str], list[tuple[str, str]], Floats]:
    """Sorted song ids, sorted (language, term_id), and mean ratings: shape (songs, terms), NaN where nobody rated."""
    names = list(zip(cells["language"].to_pylist(), cells["term_id"].to_pylist(), strict=True))
    terms = sorted(set(names))
    songs, song = indexed(cells["song_id"])
    column = {name: index for index, name in enumerate(terms)}
    means = np.full((len(songs), len(terms)), np.nan)
    means[song, [column[name] for name in names]] = cells["mean"].to_numpy()
    return list(songs), terms, means


def correlation_distance(means: Floats) -> Floats:
    """1 - r of every two columns over their common songs: (terms, terms), zero on the diagonal, NaN where undefined."""
    first, second = np.triu_indices(means.shape[1], k=1)
    distances = np.zeros((means.shape[1], means.shape[1]))
    distances[first, second] = 1.0 - pearson(means[:, first], means[:, second])[0]
    return distances + distances.T


def embed(distances: Floats, seed: int, dimensions: int = 2) -> Floats:
    """Points (terms, dimensions) whose distances are in the order of `distances`, on their principal axes."""
    lifted = np.where(np.eye(len(distances), dtype=bool), 0.0, np.maximum(distances, TIE))
    known = inspect.signature(MDS).parameters
    solver = MDS(**mds_arguments(known, seed, dimensions))
    return _principal(solver.fit_transform(lifted))


def mds_arguments(known: Collection[str], seed: int, dimensions: int) -> dict[str, object]:
    """Arguments of non-metric MDS on given distances, for a scikit-learn whose MDS has the parameters `known`."""
    renamed = "metric_mds" in known
    words: dict[str, object] = (
        {"metric_mds": False, "metric": "precomputed"} if renamed else {"metric": False, "dissimilarity": "precomputed"}
    )
    start = {"init": "random"} if "init" in known else {}
    shared = {"n_components": dimensions, "n_init": STARTS, "max_iter": MAX_ITERATIONS, "eps": 1e-6}
    return words | start | shared | {"random_state": seed, "normalized_stress": True}


def stress_1(points: Floats, distances: Floats) -> float:
    """Kruskal's stress-1 (0 perfect, .05 good, .1 fair, .2 poor); scikit-learn's own differs between versions."""
    pairs = np.triu_indices(len(points), k=1)
    spread = np.linalg.norm(points[pairs[0]] - points[pairs[1]], axis=1)
    fitted = IsotonicRegression().fit_transform(distances[pairs], spread)
    return float(np.sqrt(((spread - fitted) ** 2).sum() / (spread**2).sum()))


def _principal(points: Floats) -> Floats:
    """Centred, turned to principal axes, each pointing to its farthest point, with a mean square of one."""
    centred = points - points.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    farthest = turned[np.abs(turned).argmax(axis=0), np.arange(turned.shape[1])]
    return turned * np.where(farthest < 0, -1.0, 1.0) / np.sqrt((turned**2).sum(axis=1).mean())


def _comparable(terms: list[tuple[str, str]], means: Floats) -> tuple[list[int], dict[tuple[str, str], str]]:
    """Indices of the terms that have a distance to each other, and the reason of each that was left out."""
    rated = np.isfinite(means).sum(axis=0)
    excluded = {terms[i]: FEW_SONGS for i in np.flatnonzero(rated < MIN_SONGS)}
    usable = np.flatnonzero(rated >= MIN_SONGS)
    flat = [i for i in usable if np.nanvar(means[:, i]) <= NO_VARIANCE]
    excluded |= {terms[i]: ALL_ALIKE for i in flat}
    kept = [int(i) for i in usable if i not in set(flat)]
    while (undefined := _undefined(means[:, kept])).any():
        worst = kept.pop(int(undefined.argmax()))
        excluded[terms[worst]] = NO_OVERLAP
    return kept, excluded


def _undefined(means: Floats) -> NDArray[np.int64]:
    """For each column, with how many others it has no distance."""
    return np.isnan(correlation_distance(means)).sum(axis=1)
