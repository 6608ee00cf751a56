"""The first answers of one language as index arrays: what the reliability estimators work on.

A *hearing* is one rater on one song. Its ratings (seven terms in the paper's design) belong together, since they
share the rater's mood, attention and use of the scale.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from build.ratings import HIGHEST, LOWEST

SCALE = tuple(range(LOWEST, HIGHEST + 1))  # the answers that a rater can give

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Answers:
    """First answers of one language; n ratings in h hearings of s songs with t terms.

    `songs` (s) and `terms` (t) are sorted ids; `song`, `term`, `hearing` and `rating` have shape (n,), the first
    three being indices; `hearing_song` (h,) is ascending: the song of each hearing.
    """

    songs: tuple[str, ...]
    terms: tuple[str, ...]
    song: Ints
    term: Ints
    hearing: Ints
    rating: Ints
    hearing_song: Ints

    @property
    def shape(self) -> tuple[int, int]:
        """Number of songs and number of terms."""
        return len(self.songs), len(self.terms)

    def counts(self) -> Ints:
        """How often each answer was given: shape (songs, terms, 5), in linear time."""
        size = (*self.shape, len(SCALE))
        cell = np.ravel_multi_index((self.song, self.term, self.rating - SCALE[0]), size)
        return np.bincount(cell, minlength=int(np.prod(size))).reshape(size)


def first_answers(ratings: pa.Table, language: str) -> Answers:
    """The answers with repetition 0 of `language` in RATINGS; the order of its rows does not matter."""
    rows = ratings.filter((pc.field("language") == language) & (pc.field("repetition") == 0))
    songs, song = indexed(rows["song_id"])
    terms, term = indexed(rows["term_id"])
    participants, participant = np.unique(rows["participant"].to_numpy(), return_inverse=True)
    n_people = max(len(participants), 1)
    hearings, hearing = np.unique(song * n_people + participant, return_inverse=True)
    rating = rows["rating"].to_numpy().astype(np.int64)
    return Answers(songs, terms, song, term, hearing, rating, hearing_song=hearings // n_people)


def indexed(column: pa.ChunkedArray) -> tuple[tuple[str, ...], Ints]:
    """Sorted distinct values and, for each row, the index of its value."""
    encoded = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.arange(len(values))
    return tuple(values[i] for i in order), place[encoded.indices.to_numpy()]
