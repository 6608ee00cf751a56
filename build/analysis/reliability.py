"""How far the raters of one language agree, per term: split-half reliability and Krippendorff's alpha.

Split-half (paper section 4.2.2): the raters of each song are halved at random, a rater's terms staying together;
the song means of the two halves are correlated over songs, stepped up to all raters (`correlation.stepped_up`)
and averaged over seeded splits. It is the mean of the stepped-up values, not the step-up of the mean.

References: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
"""

from collections.abc import Iterator

import krippendorff
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from build.analysis.answers import SCALE, Answers, first_answers
from build.analysis.correlation import MIN_SONGS, Floats, mean_defined, pearson, stepped_up
from build.tables import COUNT, REAL, TEXT, conform

SPLITS = 100  # the mean over 100 splits moves by about .002 from seed to seed for 180 songs

RELIABILITY = pa.schema(
    [
        pa.field("language", TEXT, nullable=False),
        pa.field("term_id", TEXT, nullable=False),
        pa.field("n_ratings", COUNT, nullable=False),
        pa.field("n_songs", COUNT, nullable=False),
        pa.field("n_songs_excluded", COUNT, nullable=False),
        pa.field("n_splits", COUNT, nullable=False),
        pa.field("n_splits_negative", COUNT, nullable=False),
        pa.field("n_splits_undefined", COUNT, nullable=False),
        pa.field("half_r", REAL),
        pa.field("reliability", REAL),
        pa.field("alpha", REAL),
        pa.field("reason", TEXT),
    ]
)
NO_RATINGS = "no ratings"
FEW_SONGS = f"fewer than {MIN_SONGS} songs with two raters"
ALL_ALIKE = "no variance"
REASONS = (NO_RATINGS, FEW_SONGS, ALL_ALIKE)


def half_means(answers: Answers, split: int, seed: int) -> Floats:
    """Song means of two random halves of the raters of each song: shape (2, songs, terms), NaN where a half has none.

    Within a song the halves differ by at most one rater, and chance decides which half gets the odd one.
    """
    rng = np.random.default_rng([seed, split])
    n_songs, n_terms = answers.shape
    starts = np.searchsorted(answers.hearing_song, np.arange(n_songs))
    order = np.argsort(answers.hearing_song + rng.random(len(answers.hearing_song)))
    place = np.empty_like(order)
    place[order] = np.arange(len(order)) - starts[answers.hearing_song[order]]
    half = (place + rng.integers(0, 2, n_songs)[answers.hearing_song]) % 2
    cell = (half[answers.hearing] * n_songs + answers.song) * n_terms + answers.term
    sums = np.bincount(cell, weights=answers.rating, minlength=2 * n_songs * n_terms)
    counts = np.bincount(cell, minlength=2 * n_songs * n_terms)
    means = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    return means.reshape(2, n_songs, n_terms)


def splits(answers: Answers, n_splits: int, seed: int) -> Iterator[Floats]:
    """`half_means` of the splits 0, 1, ...; each is seeded by itself, so that more splits do not change the first."""
    return (half_means(answers, split, seed) for split in range(n_splits))


def alpha(counts: NDArray[np.int64], level: str = "ordinal") -> float:
    """Krippendorff's alpha from how often each answer was given: counts (songs, 5); time linear in songs.

    Songs with fewer than two answers cannot agree and are left out. NaN where no song remains, and where all
    answers are the same: without variance, neither agreement nor chance agreement can be told.
    """
    paired = counts[counts.sum(axis=1) >= 2]
    if np.count_nonzero(paired.sum(axis=0)) < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=paired, value_domain=SCALE, level_of_measurement=level))


def reliability(ratings: pa.Table, terms: pa.Table, n_splits: int = SPLITS, seed: int = 0) -> pa.Table:
    """RELIABILITY: a row for each row of TERMS, in its order; `reason` says why a value is null (REASONS)."""
    rows: list[dict[str, object]] = []
    for language in dict.fromkeys(terms["language"].to_pylist()):
        measured = _by_term(first_answers(ratings, language), n_splits, seed)
        rows += [
            {"language": language, **measured.get(term_id, _UNRATED), "term_id": term_id}
            for term_id in terms.filter(pa.compute.equal(terms["language"], language))["term_id"].to_pylist()
        ]
    return conform(pa.Table.from_pylist(rows, schema=RELIABILITY), RELIABILITY)


_UNRATED: dict[str, object] = {
    "n_ratings": 0,
    "n_songs": 0,
    "n_songs_excluded": 0,
    "n_splits": 0,
    "n_splits_negative": 0,
    "n_splits_undefined": 0,
    "half_r": None,
    "reliability": None,
    "alpha": None,
    "reason": NO_RATINGS,
}


def _by_term(answers: Answers, n_splits: int, seed: int) -> dict[str, dict[str, object]]:
    if not answers.terms:
        return {}
    counts = answers.counts()
    half_r = np.concatenate([pearson(first, second) for first, second in splits(answers, n_splits, seed)])
    full_r = stepped_up(half_r)
    raters = counts.sum(axis=2)
    measured: dict[str, dict[str, object]] = {}
    for index, term_id in enumerate(answers.terms):
        defined = int(np.isfinite(half_r[:, index]).sum())
        paired = int((raters[:, index] >= 2).sum())
        agreement = alpha(counts[:, index])
        measured[term_id] = {
            "n_ratings": int(raters[:, index].sum()),
            "n_songs": paired,
            "n_songs_excluded": int((raters[:, index] == 1).sum()),
            "n_splits": defined,
            "n_splits_negative": int((half_r[:, index] < 0).sum()),
            "n_splits_undefined": n_splits - defined,
            "half_r": or_none(mean_defined(half_r[:, index], axis=0)),
            "reliability": or_none(mean_defined(full_r[:, index], axis=0)),
            "alpha": or_none(agreement),
            "reason": None if defined and np.isfinite(agreement) else FEW_SONGS if paired < MIN_SONGS else ALL_ALIKE,
        }
    return measured


def or_none(value: float | Floats) -> float | None:
    """A defined number as it is, an undefined one (NaN) as None, which becomes a null."""
    return float(value) if np.isfinite(value) else None
