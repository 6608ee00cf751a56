"""Ratings on their scale, about songs and terms that exist, and adding up to the means beside them."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from build.ratings import HIGHEST, LOWEST, summarise
from build.validate.songs import split_of
from globalmood import LANGUAGES, Language

ANSWER = ["language", "song_id", "term_id", "rating", "repetition"]  # columns that means are worked out from
CLOSE = 1e-4  # rating points: means and deviations are float32


def check_ratings(folder: Path, files: list[str]) -> list[str]:
    """What is wrong with ratings, terms and means among `files`, a sentence each."""
    terms = _read(folder, [name for name in files if name.startswith("terms/")], ["language", "term_id", "rank"])
    songs = {split: _songs(folder, files, split) for split in ("train", "test")}
    problems: list[str] = []
    for language in LANGUAGES:
        own = [name for name in files if name.startswith(f"ratings/{language.config}-")]
        vocabulary = terms.filter(pc.equal(terms["language"], language.config)).sort_by("rank") if terms else None
        problems += _check_terms(language, vocabulary)
        for name in own:
            problems += _check_answers(folder, name, songs[split_of(name)], vocabulary)
        if vocabulary and not problems:
            problems += _check_means(folder, files, own, language, vocabulary)
    return problems


def _read(folder: Path, files: list[str], columns: list[str]) -> pa.Table | None:
    tables = [pq.read_table(folder / name, columns=columns) for name in files]
    return pa.concat_tables(tables) if tables else None


def _songs(folder: Path, files: list[str], split: str) -> pa.Array:
    table = _read(folder, [name for name in files if name.startswith(f"data/{split}-")], ["song_id"])
    return table["song_id"].combine_chunks() if table else pa.array([], pa.string())


def _check_terms(language: Language, vocabulary: pa.Table | None) -> Iterator[str]:
    if not vocabulary:
        return
    ranks = vocabulary["rank"].to_pylist()
    if ranks != list(range(1, language.n_terms + 1)):
        yield f"terms/: the ranks of {language.config} are {ranks}; wanted 1 to {language.n_terms}"


def _check_answers(folder: Path, name: str, songs: pa.Array, vocabulary: pa.Table | None) -> Iterator[str]:
    known = vocabulary["term_id"] if vocabulary else pa.array([], pa.string())
    count, first = Counter[str](), dict[str, object]()
    with pq.ParquetFile(folder / name) as parquet:
        for index in range(parquet.num_row_groups):  # one in memory at a time, however many a file may claim to have
            ratings = parquet.read_row_group(index)
            for what, rows in _wrong(ratings, songs, known).items():
                for row in ratings.filter(rows).slice(0, 1).to_pylist():
                    first.setdefault(what, row)
                count[what] += pc.sum(rows).as_py() or 0
    for what in (what for what in count if count[what]):
        yield f"{name}: {count[what]} {what}; the first: {first[what]}"


def _wrong(ratings: pa.Table, songs: pa.Array, terms: pa.Array) -> dict[str, pa.Array]:
    """What can be wrong with ratings, and the rows with which it is."""
    rating = ratings["rating"]
    return {
        f"ratings off the scale of {LOWEST} to {HIGHEST}": pc.or_(pc.less(rating, LOWEST), pc.greater(rating, HIGHEST)),
        "ratings with a negative repetition": pc.less(ratings["repetition"], 0),
        "ratings of songs that are not in this split": pc.invert(pc.is_in(ratings["song_id"], value_set=songs)),
        "ratings of unknown terms": pc.invert(pc.is_in(ratings["term_id"], value_set=terms)),
    }


def _check_means(
    folder: Path, files: list[str], own: list[str], language: Language, vocabulary: pa.Table
) -> Iterator[str]:
    """Whether every published mean, deviation and count is what the single ratings give."""
    answers = pa.concat_tables(pq.read_table(folder / name, columns=ANSWER, read_dictionary=ANSWER) for name in own)
    cells = {(row["song_id"], row["term_id"]): row for row in summarise(answers).to_pylist()}
    unrated = {"mean": None, "std": None, "count": 0}
    for name in (name for name in files if name.startswith("data/")):
        for row in pq.read_table(folder / name, columns=["song_id", language.config]).to_pylist():
            for index, term_id in enumerate(vocabulary["term_id"].to_pylist()):
                wanted = cells.get((row["song_id"], term_id), unrated)
                published = {key: row[language.config][key][index] for key in unrated}
                if not all(_same(published[key], wanted[key]) for key in unrated):
                    given = {key: wanted[key] for key in unrated}
                    yield f"{name}: song {row['song_id']}, {term_id!r}: has {published}, the ratings give {given}"


def _same(left: float | None, right: float | None) -> bool:
    if left is None or right is None:
        return left is right
    return bool(np.isclose(left, right, rtol=0, atol=CLOSE))
