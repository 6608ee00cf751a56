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
import pyarrow.compute as pc
from numpy.typing import NDArray

from build.analysis.answers import SCALE, Answers, first_answers
from build.analysis.correlation import MIN_SONGS, Floats, mean_defined, pearson, stepped_up
from build.tables import COUNT, REAL, TEXT, conform

SPLITS = 100  # their mean moves by about .003 (standard deviation) from seed to seed over the 118 songs of the sample

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
ALL_ALIKE = "every answer is the same"
NO_SPLIT = f"no split in which both halves vary over {MIN_SONGS} songs"


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
    """RELIABILITY: a row for each row of TERMS, in its order.

    `n_songs` are those with two or more raters of the term, `n_songs_excluded` those with one. Where a value is null,
    `reason` is NO_RATINGS, FEW_SONGS, ALL_ALIKE or NO_SPLIT.
    """
    measured = {
        (language, term_id): row
        for language in pc.unique(terms["language"]).to_pylist()
        for term_id, row in _by_term(first_answers(ratings, language), n_splits, seed).items()
    }
    keys = zip(terms["language"].to_pylist(), terms["term_id"].to_pylist(), strict=True)
    rows = [{**measured.get(key, _UNRATED), "language": key[0], "term_id": key[1]} for key in keys]
    return conform(pa.Table.from_pylist(rows, schema=RELIABILITY), RELIABILITY)


_UNRATED = {name: 0 for name in RELIABILITY.names if name.startswith("n_")} | {"reason": NO_RATINGS}


def _by_term(answers: Answers, n_splits: int, seed: int) -> dict[str, dict[str, object]]:
    if not answers.terms:
        return {}
    counts = answers.counts()
    half_r = np.concatenate([pearson(first, second) for first, second in splits(answers, n_splits, seed)])
    return {term_id: _measure(counts[:, index], half_r[:, index]) for index, term_id in enumerate(answers.terms)}


def _measure(counts: NDArray[np.int64], half_r: Floats) -> dict[str, object]:
    """What RELIABILITY tells of a term: counts (songs, 5) of its answers, half_r (splits,)."""
    raters = counts.sum(axis=1)
    defined = np.isfinite(half_r)
    return {
        "n_ratings": int(raters.sum()),
        "n_songs": int((raters >= 2).sum()),
        "n_songs_excluded": int((raters == 1).sum()),
        "n_splits": int(defined.sum()),
        "n_splits_negative": int((half_r < 0).sum()),
        "n_splits_undefined": int((~defined).sum()),
        "half_r": or_none(mean_defined(half_r, axis=0)),
        "reliability": or_none(mean_defined(stepped_up(half_r), axis=0)),
        "alpha": or_none(alpha(counts)),
        "reason": None if defined.any() else _reason(counts),
    }


def _reason(counts: NDArray[np.int64]) -> str:
    if np.count_nonzero(counts.sum(axis=1) >= 2) < MIN_SONGS:
        return FEW_SONGS
    return ALL_ALIKE if np.count_nonzero(counts.sum(axis=0)) < 2 else NO_SPLIT


def or_none(value: float | Floats) -> float | None:
    """A defined number as it is, an undefined one (NaN) as None, which becomes a null."""
    return float(value) if np.isfinite(value) else None
