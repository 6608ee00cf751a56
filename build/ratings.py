"""Ratings stage: single answers in, RATINGS and CELLS out.

Ratings are whole numbers from 1 (not at all) to 5 (extremely). A second answer of the same person to the same song and
term is a repeat trial: it is kept with `repetition` 1, 2, ..., and only the first answer enters means.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike

from build import vocab
from build.sources.people import Pseudonyms
from build.sources.textfile import FIRST_ROW
from build.tables import CELLS, DROPPED, conform, encoded, match_key

LOWEST, HIGHEST = 1, 5  # points of the scale shown to raters, both inclusive
SPARSE = 8  # cells a rating, from which on most cells are surely empty
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

    The strings of `kept` are dictionaries: a million of them name a few thousand things.

    Parameters
    ----------
    answers : strings (or dictionaries of them) `song`, `participant`, `language`, `term`, `rating`, as in the file
    songs, terms : SONGS and TERMS
    people : numbers of the participants (`build.sources.people.pseudonyms`)
    file : what the dropped rows are said to come from
    """
    configs = [language.config for language in vocab.languages()]
    song_ids = sorted(songs["song_id"].to_pylist())
    rated = terms.select(["language", "term_id", "term"]).to_pylist()
    names = vocab.language_names()

    text = {name: encoded(answers[name]) for name in answers.column_names}
    language = _codes(text["language"], lambda name: names.get(name.casefold()), configs)
    song = _codes(text["song"], str, song_ids)
    known_terms = {(row["language"], row["term_id"]): index for index, row in enumerate(rated)}
    term = _codes_within(text["term"], match_key, language, configs, known_terms)
    person = _codes_within(text["participant"], str, language, configs, people)
    rating = _looked_up(text["rating"], _scale_point)

    usable = np.logical_and.reduce([code > UNKNOWN for code in (language, song, term, person, rating)])
    order, repetition = _sorted([code[usable] for code in (language, song, person, term)])
    order = np.flatnonzero(usable)[order]
    too_often = order[repetition > MOST_REPEATS]
    order, repetition = order[repetition <= MOST_REPEATS], repetition[repetition <= MOST_REPEATS]
    kept = pa.table(
        {
            "language": _named(language[order], configs),
            "song_id": _named(song[order], song_ids),
            "participant": pa.array(person[order], pa.int32()),
            "term_id": _named(term[order], [row["term_id"] for row in rated]),
            "term": _named(term[order], [row["term"] for row in rated]),
            "rating": pa.array(rating[order], pa.int8()),
            "repetition": pa.array(repetition, pa.int8()),
        }
    )
    is_left_out = np.ones(len(rating), bool)
    is_left_out[order] = False
    left_out = np.flatnonzero(is_left_out)
    wrong = {
        "unknown_language": language[left_out] == UNKNOWN,
        "unknown_song": song[left_out] == UNKNOWN,
        "unknown_term": term[left_out] == UNKNOWN,
        "no_participant": person[left_out] == UNKNOWN,
        "no_number": rating[left_out] == _NO_NUMBER,
        "off_scale": rating[left_out] == _OFF_SCALE,
        "repeated_too_often": np.isin(left_out, too_often),
    }
    return kept, _dropped(answers, left_out, wrong, file)


def summarise(ratings: pa.Table) -> pa.Table:
    """CELLS of RATINGS: mean, sample standard deviation (ddof 1) and count of first answers, sorted by their keys.

    `std` is null where only one person answered. A cell that nobody rated has no row.
    """
    key = ["language", "song_id", "term_id"]
    columns = [_in_order(encoded(ratings[name])) for name in key]
    cell = np.zeros(ratings.num_rows, np.int64)
    for codes, names in columns:
        cell *= len(names)
        cell += codes
    first = ratings["repetition"].to_numpy() == 0
    cell, rating = cell[first], ratings["rating"].to_numpy()[first].astype(np.float64)
    n_cells = math.prod(len(names) for _, names in columns)
    known = None
    if n_cells > SPARSE * len(cell):  # few songs are rated of many, and memory is to follow the ratings
        known, cell = np.unique(cell, return_inverse=True)
    count, total, squares = (np.bincount(cell, weights) for weights in (None, rating, rating**2))
    rated = np.flatnonzero(count)
    count, total, squares = count[rated], total[rated], squares[rated]
    rated = rated if known is None else known
    variance = (squares - total**2 / count) / np.maximum(count - 1, 1)  # sums of small whole numbers: exact
    cells = {
        "count": count,
        "mean": total / count,
        "std": pa.array(np.sqrt(variance), mask=count < 2),
    }
    for name, (_, names) in zip(reversed(key), reversed(columns), strict=True):
        cells[name] = names.take(pa.array(rated % len(names)))
        rated = rated // len(names)
    return conform(pa.table(cells), CELLS)


def _looked_up(column: pa.DictionaryArray, code: Callable[[str], int]) -> np.ndarray:
    """`code` of every string in a column, worked out once for each different string."""
    table = _narrow([code(text.strip()) for text in column.dictionary.to_pylist()])
    return table[column.indices.to_numpy()] if len(table) else np.zeros(0, np.int8)


def _codes(column: pa.DictionaryArray, key: Callable[[str], str | None], known: Iterable[str]) -> np.ndarray:
    """The place in `known` of the key of every string."""
    place = {name: index for index, name in enumerate(known)}
    return _looked_up(column, lambda text: place.get(key(text) or "", UNKNOWN))


def _codes_within(
    column: pa.DictionaryArray,
    key: Callable[[str], str],
    language: np.ndarray,
    configs: list[str],
    known: dict[tuple[str, str], int],
) -> np.ndarray:
    """The number in `known` of (language, key of the string), for a column whose names belong to a language."""
    texts = [key(text.strip()) for text in column.dictionary.to_pylist()]
    rows = [[known.get((config, text), UNKNOWN) for text in texts] for config in configs]
    table = _narrow([*rows, [UNKNOWN] * len(texts)])  # the last row serves the unknown language, code -1
    return table[language, column.indices.to_numpy()] if texts else np.zeros(0, np.int8)


_NO_NUMBER, _OFF_SCALE = -1, -2  # codes of ratings that cannot be used


def _scale_point(text: str) -> int:
    try:
        value = float(text)
    except ValueError:
        return _NO_NUMBER
    return int(value) if value.is_integer() and LOWEST <= value <= HIGHEST else _OFF_SCALE


def _narrow(codes: ArrayLike) -> np.ndarray:
    """Codes in the smallest type that holds them: millions of them are looked up and sorted."""
    table = np.array(codes, np.int64)
    return table.astype(np.min_scalar_type(-1 - table.max(initial=0)))


def _sorted(codes: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(order, rank): rows by their codes, the first of which counts most, and 0, 1, ... within every run of equals.

    Equals stay in their order. As one number the codes are sorted 16 bits at a time, which NumPy does by counting.

    >>> _sorted([np.array([9, 7, 9]), np.array([1, 0, 1])])
    (array([1, 0, 2]), array([0, 0, 1]))
    """
    key = np.zeros(len(codes[0]), np.int64)
    for code in codes:
        key *= int(code.max(initial=0)) + 1
        key += code
    n_bits = max(1, int(key.max(initial=0)).bit_length())
    order = np.lexsort([(key >> shift).astype(np.uint16) for shift in range(0, n_bits, 16)])
    key = key[order]
    again = np.flatnonzero(key[1:] == key[:-1]) + 1
    begins = np.flatnonzero(np.diff(again, prepend=-1) != 1)  # where a run of repeats begins
    rank = np.zeros(len(key), np.int64)
    rank[again] = again - np.repeat(again[begins], np.diff(begins, append=len(again))) + 1
    return order, rank


def _in_order(column: pa.DictionaryArray) -> tuple[np.ndarray, pa.StringArray]:
    """(codes, names) of a column, with the names sorted.

    >>> _in_order(pa.array(["b", "a", "b"]).dictionary_encode())[0]
    array([1, 0, 1], dtype=int8)
    """
    order = pc.sort_indices(column.dictionary).to_numpy()
    return _narrow(np.argsort(order))[column.indices.to_numpy()], column.dictionary.take(pa.array(order))


def _named(codes: np.ndarray, names: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes, pa.array(names, pa.string()))


def _dropped(answers: pa.Table, rows: np.ndarray, wrong: dict[str, np.ndarray], file: str) -> pa.Table:
    """The answers in `rows` with the first reason that applies to each."""
    reason = np.select(list(wrong.values()), np.arange(len(wrong)))
    detail = answers.drop_columns("participant").take(rows).to_pylist()
    dropped = {
        "file": [file] * len(rows),
        "row": rows + FIRST_ROW,
        "reason": [list(wrong)[code] for code in reason],
        "detail": [", ".join(f"{name}={text}" for name, text in row.items()) for row in detail],
    }
    return conform(pa.table(dropped, DROPPED), DROPPED)
