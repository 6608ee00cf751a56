"""Tables for the tests of `build.analysis`: written out by hand, or drawn from a model whose true values are known."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from build.tables import RATINGS, TERMS


def ratings(rows: Iterable[Sequence[Any]]) -> pa.Table:
    """RATINGS from (language, song_id, participant, term_id, rating) or the same with a repetition."""
    names = ("language", "song_id", "participant", "term_id", "rating", "repetition")
    filled = [dict(zip(names, (*row, 0)[:6], strict=True)) for row in rows]
    return pa.Table.from_pylist([{**row, "term": row["term_id"]} for row in filled], RATINGS)


def terms(rows: Iterable[Sequence[Any]]) -> pa.Table:
    """TERMS from (language, term_id, translation), ranked within a language in the order given."""
    ranks: dict[str, int] = {}
    made = []
    for language, term_id, translation in rows:
        ranks[language] = ranks.get(language, 0) + 1
        made.append(
            {
                "language": language,
                "term_id": term_id,
                "term": term_id,
                "translation": translation,
                "rank": ranks[language],
                "frequency": 1,
                "mean_rating": 3.0,
                "score": 3.0,
            }
        )
    return pa.Table.from_pylist(made, TERMS)


def two_point(chance: np.ndarray, n_raters: int, seed: int, language: str = "english") -> pa.Table:
    """Every rater answers every song and term with 5 at the given `chance` (songs, terms), else with 1."""
    n_songs, n_terms = chance.shape
    yes = np.random.default_rng(seed).random((n_raters, n_songs, n_terms)) < chance
    person, song, term = (index.ravel() for index in np.indices(yes.shape))
    songs = pa.array([f"s{i:04d}" for i in range(n_songs)]).take(pa.array(song))
    names = pa.array([f"t{i:02d}" for i in range(n_terms)]).take(pa.array(term))
    columns = {
        "language": pa.array([language] * yes.size),
        "song_id": songs,
        "participant": person + 1,
        "term_id": names,
        "term": names,
        "rating": np.where(yes, 5, 1).ravel(),
        "repetition": np.zeros(yes.size, dtype=int),
    }
    return pa.table(columns).select(RATINGS.names).cast(RATINGS)


def permuted(table: pa.Table, seed: int) -> pa.Table:
    """The same ratings with their songs shuffled: every trace of the truth is gone, every total is kept."""
    order = np.random.default_rng(seed).permutation(len(table))
    place = table.schema.get_field_index("song_id")
    return table.set_column(place, table.schema.field("song_id"), table["song_id"].take(pa.array(order)))
