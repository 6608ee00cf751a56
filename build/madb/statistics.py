"""The numbers that the authors report, worked out from the tables (pure).

References: Shrout and Fleiss (1979), Intraclass correlations, Psychological Bulletin 86: ICC(1) and ICC(1,k), one-way,
since tracks are not all annotated by the same people.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from build.analysis.correlation import Floats, pearson
from build.madb.contract import SCORES, SOURCES

Facts = dict[str, Any]
QUARTILES = {"min": 0.0, "lower": 0.25, "median": 0.5, "upper": 0.75, "max": 1.0}


def distributions(table: pa.Table) -> list[Facts]:
    """For each dimension: tracks scored, tracks to which it does not apply, mean, sd (ddof 1) and quartiles."""
    told = []
    for name in SCORES:
        values = _floats(table, name)
        scored = values[np.isfinite(values)]
        quartiles = {key: float(np.quantile(scored, at)) if scored.size else None for key, at in QUARTILES.items()}
        told.append({"name": name, "n": int(scored.size), "not_applicable": len(values) - int(scored.size)})
        told[-1] |= _mean_sd(scored) | quartiles
    return told


def by_source(tracks: pa.Table) -> list[Facts]:
    """For each source that has tracks: their number, and mean and sd (ddof 1) of the overall score."""
    source, overall = np.array(tracks["source"].to_pylist()), _floats(tracks, "overall_score")
    return [
        {"source": name, "n": int((source == name).sum()), **_mean_sd(overall[(source == name) & np.isfinite(overall)])}
        for name in SOURCES
        if (source == name).any()
    ]


def correlation(tracks: pa.Table) -> list[list[float | None]]:
    """Pearson's r of every two dimensions over the tracks that have both; None where it is undefined."""
    scores = np.column_stack([_floats(tracks, name) for name in SCORES])
    rows = [pearson(np.repeat(column[:, None], scores.shape[1], axis=1), scores)[0] for column in scores.T]
    return [[float(r) if np.isfinite(r) else None for r in row] for row in rows]


def tag_counts(tracks: pa.Table, column: str) -> dict[str, int]:
    """Tag -> tracks that have it, the most frequent first."""
    counts = Counter(tag for tags in tracks[column].to_pylist() for tag in tags)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def agreement(annotations: pa.Table) -> list[Facts]:
    """For each dimension with single annotators' scores: `icc`, `icc_k`, and how many tracks and annotators a track."""
    track = np.array(annotations["id"].to_pylist(), np.int64)
    told = []
    for name in SCORES:
        values = _floats(annotations, name)
        scored = np.isfinite(values)
        one, mean, n_tracks, raters = one_way_icc(track[scored], values[scored])
        if n_tracks:
            told.append({"name": name, "n_tracks": n_tracks, "raters": raters, "icc": one, "icc_k": mean})
    return told


def one_way_icc(group: NDArray[np.int64], values: Floats) -> tuple[float | None, float | None, int, float]:
    """ICC(1) of one annotator, ICC(1,k) of the mean of all, number of groups, and annotators a group (k).

    group, values : (n,) track of each score, and the score; tracks with one score are left out. With unequal numbers k
    is the size that gives the variance components their expected values. None where there is no variance.
    """
    _, index, counts = np.unique(group, return_inverse=True, return_counts=True)
    kept = counts[index] > 1
    _, index, counts = np.unique(group[kept], return_inverse=True, return_counts=True)
    n_groups, n = len(counts), int(counts.sum())
    if n_groups < 2:
        return None, None, n_groups, float("nan")
    means = np.bincount(index, weights=values[kept]) / counts
    between = float((counts * (means - values[kept].mean()) ** 2).sum()) / (n_groups - 1)
    within = float(((values[kept] - means[index]) ** 2).sum()) / (n - n_groups)
    k = (n - float((counts**2).sum()) / n) / (n_groups - 1)
    if between == 0:
        return None, None, n_groups, k
    return (between - within) / (between + (k - 1) * within), (between - within) / between, n_groups, k


def _floats(table: pa.Table, column: str) -> Floats:
    return table[column].cast(pa.float64()).fill_null(np.nan).to_numpy()


def _mean_sd(values: Sequence[float] | Floats) -> Facts:
    return {
        "mean": float(np.mean(values)) if len(values) else None,
        "sd": float(np.std(values, ddof=1)) if len(values) > 1 else None,
    }
