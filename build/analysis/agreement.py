"""Do cultures agree on a mood as much as people within a culture do? (paper section 4.2.2)

For each concept that at least four languages have a term for:
  between  mean over pairs of languages of Pearson's r of the two terms' mean ratings over songs
  within   mean over languages of the split-half reliability of its term (`build.analysis.reliability`)
Intervals are 95 % percentile bootstrap intervals over songs: a draw takes the same songs for all languages, pairs
and splits. The mean of correlations is taken as it is, without Fisher's z.
"""

from collections.abc import Container, Iterable
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from build.analysis.answers import first_answers
from build.analysis.concepts import Key, shared_terms
from build.analysis.correlation import Floats, interval, mean_defined, pearson, song_draws, stepped_up
from build.analysis.reliability import SPLITS, or_none, splits
from build.analysis.space import term_vectors
from build.tables import COUNT, REAL, TEXT

MIN_LANGUAGES = 4  # paper section 4.2.2
DRAWS = 1000  # bootstrap draws of songs

AGREEMENT = pa.schema(
    [
        pa.field("concept", TEXT, nullable=False),
        pa.field("languages", pa.list_(TEXT), nullable=False),
        pa.field("term_ids", pa.list_(TEXT), nullable=False),
        pa.field("n_songs", COUNT, nullable=False),
        pa.field("n_pairs", COUNT, nullable=False),
        pa.field("n_pairs_undefined", COUNT, nullable=False),
        pa.field("n_languages_undefined", COUNT, nullable=False),
        pa.field("n_draws_undefined", COUNT, nullable=False),
        *(pa.field(f"{kind}_{part}", REAL) for kind in ("between", "within") for part in ("r", "low", "high")),
    ]
)
FEW_LANGUAGES = f"a term in fewer than {MIN_LANGUAGES} languages"
NOT_RATED = f"rated in fewer than {MIN_LANGUAGES} languages"
EXCLUDED = pa.schema([pa.field(name, TEXT, nullable=False) for name in ("concept", "reason", "detail")])


def agreement(
    ratings: pa.Table,
    cells: pa.Table,
    terms: pa.Table,
    concepts: pa.Table,
    n_splits: int = SPLITS,
    n_draws: int = DRAWS,
    seed: int = 0,
) -> tuple[pa.Table, pa.Table]:
    """AGREEMENT for the concepts of CONCEPTS that enough languages share and rated, and EXCLUDED for the others.

    `cells` are those of `ratings`, which serve the halves; `n_splits` splits of the raters, `n_draws` draws of songs.
    What is not defined (no variance, one rater a song) is left out of the means and counted in `n_..._undefined`.
    """
    songs, columns, means = term_vectors(cells)
    ratings = ratings.filter(pc.is_in(ratings["song_id"], pa.array(songs, TEXT)))
    vectors = dict(zip(columns, means.T, strict=True))
    shared = shared_terms(terms, concepts)
    excluded = [reason for concept, keys in shared.items() if (reason := _reason(concept, keys, vectors))]
    left_out = {row["concept"] for row in excluded}
    kept = {concept: [key for key in keys if key in vectors] for concept, keys in shared.items()}
    kept = {concept: keys for concept, keys in kept.items() if concept not in left_out}
    halves = term_halves(ratings, (key for keys in kept.values() for key in keys), songs, n_splits, seed)
    draws = song_draws(len(songs), n_draws, seed)
    rows = [{"concept": concept, **_measure(keys, vectors, halves, draws)} for concept, keys in kept.items()]
    return pa.Table.from_pylist(rows, AGREEMENT), pa.Table.from_pylist(excluded, EXCLUDED)


def term_halves(
    ratings: pa.Table, keys: Iterable[Key], songs: list[str], n_splits: int, seed: int
) -> dict[Key, tuple[Floats, Floats]]:
    """Song means of the two halves of each split for single terms: two arrays (songs, splits), NaN where missing."""
    wanted: dict[str, list[str]] = {}
    for language, term_id in dict.fromkeys(keys):
        wanted.setdefault(language, []).append(term_id)
    place = {song_id: index for index, song_id in enumerate(songs)}
    halves: dict[Key, tuple[Floats, Floats]] = {}
    for language, term_ids in wanted.items():
        answers = first_answers(ratings, language)
        known = [term_id for term_id in term_ids if term_id in answers.terms]
        picked = [answers.terms.index(term_id) for term_id in known]
        both = np.full((2, len(songs), len(known), n_splits), np.nan)
        rows = np.array([place[song_id] for song_id in answers.songs], dtype=int)
        for split, means in enumerate(splits(answers, n_splits, seed)):
            both[:, rows, :, split] = means[:, :, picked].transpose(1, 0, 2)
        halves |= {(language, term_id): (both[0, :, i], both[1, :, i]) for i, term_id in enumerate(known)}
    return halves


def _reason(concept: str, keys: list[Key], rated: Container[Key]) -> dict[str, str] | None:
    """The row of EXCLUDED for a concept that too few languages have a rated term for."""
    if len(keys) < MIN_LANGUAGES:
        return {"concept": concept, "reason": FEW_LANGUAGES, "detail": " ".join(name for name, _ in keys)}
    unrated = [language for language, term_id in keys if (language, term_id) not in rated]
    if len(keys) - len(unrated) < MIN_LANGUAGES:
        return {"concept": concept, "reason": NOT_RATED, "detail": f"no ratings: {' '.join(unrated)}"}
    return None


def _measure(
    keys: list[Key], vectors: dict[Key, Floats], halves: dict[Key, tuple[Floats, Floats]], draws: Floats
) -> dict[str, object]:
    pairs = list(combinations(keys, 2))
    first = np.stack([vectors[a] for a, _ in pairs], axis=1)
    second = np.stack([vectors[b] for _, b in pairs], axis=1)
    point = np.ones((1, len(first)))
    between, between_draws = (pearson(first, second, weights) for weights in (point, draws))
    within, within_draws = (_within([halves[key] for key in keys], weights) for weights in (point, draws))
    undefined = np.isnan(mean_defined(between_draws, 1)) | np.isnan(mean_defined(within_draws, 1))
    return {
        "languages": [language for language, _ in keys],
        "term_ids": [term_id for _, term_id in keys],
        "n_songs": int(np.isfinite(np.stack([vectors[key] for key in keys])).any(axis=0).sum()),
        "n_pairs": len(pairs),
        "n_pairs_undefined": int(np.isnan(between).sum()),
        "n_languages_undefined": int(np.isnan(within).sum()),
        "n_draws_undefined": int(undefined.sum()),
        **_summary("between", between, between_draws),
        **_summary("within", within, within_draws),
    }


def _within(halves: list[tuple[Floats, Floats]], weights: Floats) -> Floats:
    """Split-half reliability of each language's term in each draw: (draws, languages)."""
    return np.stack([mean_defined(stepped_up(pearson(a, b, weights)), axis=1) for a, b in halves], axis=1)


def _summary(kind: str, point: Floats, draws: Floats) -> dict[str, float | None]:
    low, high = interval(mean_defined(draws, axis=1)) or (None, None)
    return {f"{kind}_r": or_none(mean_defined(point, axis=1)[0]), f"{kind}_low": low, f"{kind}_high": high}
