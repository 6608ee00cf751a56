"""Ratings on their scale, about songs and terms that exist, and adding up to the means beside them."""

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from build.ratings import HIGHEST, LOWEST, summarise
from build.validate.files import all_of
from globalmood import LANGUAGES, SPLITS, Language

ANSWER = ["language", "song_id", "term_id", "rating", "repetition"]  # columns that means are worked out from
VOCABULARY = pa.schema({"language": pa.string(), "term_id": pa.string(), "rank": pa.int16()})
SONG_IDS = pa.schema({"song_id": pa.string()})
CLOSE = 1e-4  # rating points: means and deviations are float32


def check_ratings(folder: Path, files: list[str], listed: Collection[str]) -> list[str]:
    """What is wrong with ratings, terms and means among `files`, a sentence each.

    `listed` are all files that there should be. What follows from one that is not among `files` is not told: no rating
    is said to be of an unknown song, and no mean to be wrong, because the other half cannot be read.
    """
    terms = _read(folder, all_of("terms/", listed, files), VOCABULARY)
    songs = {part: _read(folder, all_of(f"data/{part}-", listed, files), SONG_IDS) for part in SPLITS}
    problems: list[str] = []
    for language in LANGUAGES:
        vocabulary = terms and terms.filter(pc.equal(terms["language"], language.config)).sort_by("rank")
        found = list(_check_terms(language, vocabulary))
        for part in SPLITS:
            start = f"ratings/{language.config}-{part}-"
            own = [name for name in files if name.startswith(start)]
            for name in own:
                found += _check_answers(folder, name, language, songs[part], vocabulary)
            if own and all_of(start, listed, files) and vocabulary and not found:
                shards = [name for name in files if name.startswith(f"data/{part}-")]
                found += _check_means(folder, shards, own, language, vocabulary)
        problems += found
    return problems


def _read(folder: Path, names: list[str] | None, schema: pa.Schema) -> pa.Table | None:
    """The columns of `schema` of all files; None where it is not known which rows there should be."""
    if names is None:
        return None
    return pa.concat_tables([schema.empty_table(), *(pq.read_table(folder / n, columns=schema.names) for n in names)])


def _check_terms(language: Language, vocabulary: pa.Table | None) -> Iterator[str]:
    if not vocabulary:
        return
    ranks = vocabulary["rank"].to_pylist()
    if ranks != list(range(1, language.n_terms + 1)):
        yield f"terms/: the ranks of {language.config} are {ranks}; wanted 1 to {language.n_terms}"


def _check_answers(
    folder: Path, name: str, language: Language, songs: pa.Table | None, vocabulary: pa.Table | None
) -> Iterator[str]:
    count, first = Counter[str](), dict[str, object]()
    with pq.ParquetFile(folder / name) as parquet:
        for index in range(parquet.num_row_groups):  # one in memory at a time, however many a file may claim to have
            ratings = parquet.read_row_group(index)
            for what, rows in _wrong(ratings, language, songs, vocabulary).items():
                for row in ratings.filter(rows).slice(0, 1).to_pylist():
                    first.setdefault(what, row)
                count[what] += pc.sum(rows).as_py() or 0
    for what in (what for what in count if count[what]):
        yield f"{name}: {count[what]} {what}; the first: {first[what]}"


def _wrong(
    ratings: pa.Table, language: Language, songs: pa.Table | None, vocabulary: pa.Table | None
) -> dict[str, pa.Array]:
    """What can be wrong with ratings, and the rows with which it is; `songs`, `vocabulary`: None where not known."""
    rating = ratings["rating"]
    wrong = {
        f"ratings off the scale of {LOWEST} to {HIGHEST}": pc.or_(pc.less(rating, LOWEST), pc.greater(rating, HIGHEST)),
        "ratings with a negative repetition": pc.less(ratings["repetition"], 0),
        "ratings of another language": pc.not_equal(ratings["language"], language.config),
    }
    for what, column, known in (
        ("ratings of songs that are not in this split", "song_id", songs),
        ("ratings of unknown terms", "term_id", vocabulary),
    ):
        if known is not None:
            wrong[what] = pc.invert(pc.is_in(ratings[column], value_set=known[column].combine_chunks()))
    return wrong


def _check_means(
    folder: Path, shards: list[str], own: list[str], language: Language, vocabulary: pa.Table
) -> Iterator[str]:
    """Whether every mean, deviation and count published in the shards is what the single ratings in `own` give."""
    answers = pa.concat_tables(pq.read_table(folder / name, columns=ANSWER, read_dictionary=ANSWER) for name in own)
    try:
        cells = {(row["song_id"], row["term_id"]): row for row in summarise(answers).to_pylist()}
    except pa.ArrowInvalid as error:  # more answers about one song and term than a published count can be
        yield f"{own[0]}: cannot be summed up: {error}"
        return
    unrated = {"mean": None, "std": None, "count": 0}
    for name in shards:
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
