"""Ratings stage: single answers in, RATINGS and CELLS out.

Ratings are whole numbers from 1 (not at all) to 5 (extremely). A second answer of the same person to the same song and
term is a repeat trial: it is kept with `repetition` 1, 2, ..., and only the first answer enters means.
"""

from collections.abc import Callable, Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from build import vocab
from build.sources.people import Pseudonyms
from build.sources.textfile import FIRST_ROW
from build.tables import CELLS, DROPPED, RATINGS, conform, match_key

LOWEST, HIGHEST = 1, 5  # points of the scale shown to raters, both inclusive
MOST_REPEATS = 127  # `repetition` is an int8
REASONS = {
    "unknown_language": "the language or country is in no row of metadata/languages.csv",
    "unknown_song": "the song is not in the song list",
    "unknown_term": "the term is not among the rated terms of that language",
    "no_participant": "nobody is named",
    "no_number": "the rating is no number",
    "off_scale": f"the rating is no whole number from {LOWEST} to {HIGHEST}",
    "repeated_too_often": f"the same person answered this more than {MOST_REPEATS} times before",
}
UNKNOWN = -1  # code of a string that stands for nothing known


def clean(
    answers: pa.Table, songs: pa.Table, terms: pa.Table, people: Pseudonyms, file: str
) -> tuple[pa.Table, pa.Table]:
    """Return (kept, dropped): RATINGS sorted by language, song, participant, term; DROPPED with a reason of REASONS.

    Parameters
    ----------
    answers : strings `song`, `participant`, `language`, `term`, `rating`, as in the file
    songs, terms : SONGS and TERMS
    people : numbers of the participants (`build.sources.people.pseudonyms`)
    file : what the dropped rows are said to come from
    """
    configs = [language.config for language in vocab.languages()]
    song_ids = sorted(songs["song_id"].to_pylist())
    rated = terms.select(["language", "term_id", "term"]).to_pylist()
    names = vocab.language_names()

    language = _codes(answers["language"], lambda text: names.get(text.casefold()), configs)
    song = _codes(answers["song"], str, song_ids)
    known_terms = {(row["language"], row["term_id"]): index for index, row in enumerate(rated)}
    term = _codes_within(answers["term"], match_key, language, configs, known_terms)
    person = _codes_within(answers["participant"], str, language, configs, people)
    rating = _looked_up(answers["rating"], _scale_point)
    wrong = {
        "unknown_language": language == UNKNOWN,
        "unknown_song": song == UNKNOWN,
        "unknown_term": term == UNKNOWN,
        "no_participant": person == UNKNOWN,
        "no_number": rating == _NO_NUMBER,
        "off_scale": rating == _OFF_SCALE,
    }
    usable = ~np.logical_or.reduce(list(wrong.values()))
    keys = [_narrow(code) for code in (term, person, song, language)]
    order = np.lexsort(keys)  # stable: answers to the same question stay in the order of the file
    order = order[usable[order]]
    repetition = _rank_among_equals([key[order] for key in keys])
    wrong["repeated_too_often"] = np.zeros(len(usable), bool)
    wrong["repeated_too_often"][order[repetition > MOST_REPEATS]] = True
    order, repetition = order[repetition <= MOST_REPEATS], repetition[repetition <= MOST_REPEATS]
    kept = pa.table(
        {
            "language": _decoded(language[order], configs),
            "song_id": _decoded(song[order], song_ids),
            "participant": person[order],
            "term_id": _decoded(term[order], [row["term_id"] for row in rated]),
            "term": _decoded(term[order], [row["term"] for row in rated]),
            "rating": rating[order],
            "repetition": repetition,
        }
    )
    return conform(kept, RATINGS), _dropped(answers, wrong, file)


def summarise(ratings: pa.Table) -> pa.Table:
    """CELLS of RATINGS: mean, sample standard deviation (ddof 1) and count of first answers, sorted by their keys.

    `std` is null where only one person answered. A cell that nobody rated has no row.
    """
    first = ratings.filter(pc.equal(ratings["repetition"], 0))
    key = ["language", "song_id", "term_id"]
    encoded = [first[name].combine_chunks().dictionary_encode() for name in key]
    cell = np.zeros(len(first), np.int64)
    for column in encoded:
        cell = cell * len(column.dictionary) + column.indices.to_numpy()
    rating = first["rating"].to_numpy().astype(np.float64)
    count, total, squares = (np.bincount(cell, weights) for weights in (None, rating, rating**2))
    rated = np.flatnonzero(count)
    count, total, squares = count[rated], total[rated], squares[rated]
    with_std = count > 1
    variance = (squares - total**2 / count) / np.maximum(count - 1, 1)  # sums of small whole numbers: exact
    cells = {
        "count": count,
        "mean": total / count,
        "std": pa.array(np.sqrt(variance), mask=~with_std),
    }
    for name, column in zip(reversed(key), reversed(encoded), strict=True):
        cells[name] = column.dictionary.take(pa.array(rated % len(column.dictionary)))
        rated = rated // len(column.dictionary)
    return conform(pa.table(cells).sort_by([(name, "ascending") for name in key]), CELLS)


def _looked_up(column: pa.ChunkedArray, code: Callable[[str], int]) -> np.ndarray:
    """`code` of every string in a column, worked out once for each different string."""
    encoded = column.combine_chunks().dictionary_encode()
    table = np.array([code(text.strip()) for text in encoded.dictionary.to_pylist()], np.int64)
    return table[encoded.indices.to_numpy()] if len(table) else np.zeros(0, np.int64)


def _codes(column: pa.ChunkedArray, key: Callable[[str], str | None], known: Iterable[str]) -> np.ndarray:
    """The place in `known` of the key of every string."""
    place = {name: index for index, name in enumerate(known)}
    return _looked_up(column, lambda text: place.get(key(text) or "", UNKNOWN))


def _codes_within(
    column: pa.ChunkedArray,
    key: Callable[[str], str],
    language: np.ndarray,
    configs: list[str],
    known: dict[tuple[str, str], int],
) -> np.ndarray:
    """The number in `known` of (language, key of the string), for a column whose names belong to a language."""
    encoded = column.combine_chunks().dictionary_encode()
    texts = [key(text.strip()) for text in encoded.dictionary.to_pylist()]
    table = np.full((len(configs) + 1, len(texts)), UNKNOWN)  # its last row serves the unknown language, code -1
    for row, config in enumerate(configs):
        table[row] = [known.get((config, text), UNKNOWN) for text in texts]
    return table[language, encoded.indices.to_numpy()] if texts else np.zeros(0, np.int64)


_NO_NUMBER, _OFF_SCALE = -1, -2  # codes of ratings that cannot be used


def _scale_point(text: str) -> int:
    try:
        value = float(text)
    except ValueError:
        return _NO_NUMBER
    return int(value) if value.is_integer() and LOWEST <= value <= HIGHEST else _OFF_SCALE


def _narrow(codes: np.ndarray) -> np.ndarray:
    """The same order in the smallest type that holds it, in which sorting is several times faster."""
    codes = np.maximum(codes, 0)
    return codes.astype(np.min_scalar_type(codes.max(initial=0)))


def _rank_among_equals(keys: list[np.ndarray]) -> np.ndarray:
    """0, 1, 2, ... within every run of rows that are equal in all keys: [[7, 7, 9]] -> [0, 1, 0]."""
    if not len(keys[0]):
        return np.zeros(0, np.int64)
    changes = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    starts = np.flatnonzero(np.concatenate([[True], changes]))
    return np.arange(len(keys[0])) - np.repeat(starts, np.diff(starts, append=len(keys[0])))


def _decoded(codes: np.ndarray, names: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(names, pa.string())).cast(pa.string())


def _dropped(answers: pa.Table, wrong: dict[str, np.ndarray], file: str) -> pa.Table:
    """A row for every answer that is wrong, with the first reason that applies."""
    reason = np.select(list(wrong.values()), np.arange(len(wrong)), default=UNKNOWN)
    rows = np.flatnonzero(reason != UNKNOWN)
    detail = answers.take(rows).to_pylist()
    dropped = {
        "file": [file] * len(rows),
        "row": rows + FIRST_ROW,
        "reason": [list(wrong)[code] for code in reason[rows]],
        "detail": [
            ", ".join(f"{name}={text}" for name, text in row.items() if name != "participant") for row in detail
        ],
    }
    return conform(pa.table(dropped, DROPPED), DROPPED)
