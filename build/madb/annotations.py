"""Single annotators' scores, comments and tags -> one row an annotator and track.

Two layouts are known: a row a track with numbered columns (`comment_eng1`, `mood1`, ... one of each for every
annotator), as in the release's MADB_data.csv; and a row an annotator and track, with a column that names the annotator.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from build.errors import InputError
from build.madb import values
from build.madb.contract import FEATURES, SCORES
from build.madb.headers import Mapping, columns_of, numbered_columns_of, require
from build.sources.textfile import FIRST_ROW, read_csv

LIST = ("MADB_data.csv", "annotations.csv")
SHORT_WORDS = 10  # a comment with fewer is flagged (the authors asked for at least as many)
SALT = "madb-annotators-1"
TAGS, COMMENTS = ("mood", "genre"), ("comment_zh", "comment_en")

ANNOTATIONS = FEATURES["annotations"].arrow_schema
Row = dict[str, Any]


def read_annotations(path: Path, tracks: pa.Table, mapping: Mapping) -> tuple[pa.Table, int]:
    """Return ANNOTATIONS sorted by track and annotator, and how many rows are about tracks not in `tracks`.

    Raises InputError, naming file and row, for a layout that is not recognised, a score off the scale, or an annotator
    who stands twice at one track.
    """
    table = read_csv(path)
    plain = columns_of("annotations", table.column_names, mapping)
    require(path, plain, ("id",), table.column_names, "annotations")
    if "annotator" in plain:
        rows = list(_one_each(table, plain, path))
    else:
        rows = list(_side_by_side(table, plain["id"], path, mapping))
    known = set(tracks["id"].to_pylist())
    kept = sorted((row for row in rows if row["id"] in known), key=lambda row: (row["id"], row["annotator"]))
    return pa.Table.from_pylist(kept, ANNOTATIONS), len(rows) - len(kept)


def genres_of(annotations: pa.Table) -> dict[int, list[str]]:
    """Track -> all genre tags that its annotators gave, the most frequent first."""
    given: dict[int, Counter[str]] = {}
    for row in annotations.select(["id", "genre"]).to_pylist():
        given.setdefault(row["id"], Counter()).update(row["genre"])
    return {track: sorted(tags, key=lambda tag: (-tags[tag], tag)) for track, tags in given.items()}


def is_short(comment_zh: str | None, comment_en: str | None) -> bool | None:
    """Whether a comment has fewer than SHORT_WORDS words; in Chinese every character counts as one.

    The English text is counted where there is one. None without a comment.
    """
    if comment_en:
        return len(comment_en.split()) < SHORT_WORDS
    if comment_zh:
        return sum(character.isalnum() for character in comment_zh) < SHORT_WORDS
    return None


def _one_each(table: pa.Table, found: dict[str, str], path: Path) -> Iterator[Row]:
    names = [name.strip() for name in table[found["annotator"]].to_pylist()]
    number = {name: place for place, name in enumerate(sorted(set(names), key=_hashed), start=1)}
    first_row: dict[tuple[int, str], int] = {}
    for row, (cells, name) in enumerate(zip(table.to_pylist(), names, strict=True), start=FIRST_ROW):
        where = f"{path}, row {row}"
        track = values.number(cells[found["id"]], where)
        if not name or (track, name) in first_row:
            before = first_row.get((track, name))
            raise InputError(f"{where}: the annotator is empty, or annotated track {track} already in row {before}")
        first_row[track, name] = row
        yield _row(track, number[name], {role: cells[column] for role, column in found.items()}, where)


def _side_by_side(table: pa.Table, id_column: str, path: Path, mapping: Mapping) -> Iterator[Row]:
    found = numbered_columns_of("annotations", table.column_names, mapping)
    if not found:
        raise InputError(
            f"{path}: neither a column that names the annotator nor numbered columns such as comment_eng1 among "
            f"{table.column_names}; name yours with --column annotator=HEADER or --column comment_en=HEADER"
        )
    people = sorted({number for _, number in found})
    for row, cells in enumerate(table.to_pylist(), start=FIRST_ROW):
        where = f"{path}, row {row}"
        track = values.number(cells[id_column], where)
        for person in people:
            own = {role: cells[column] for (role, number), column in found.items() if number == person}
            if any(text.strip() for text in own.values()):
                yield _row(track, person, own, where)


def _row(track: int, annotator: int, cells: dict[str, str], where: str) -> Row:
    comments = {name: cells.get(name, "").strip() or None for name in COMMENTS}
    return {
        "id": track,
        "annotator": annotator,
        **{name: values.score(cells.get(name, ""), f"{where}, {name}") for name in SCORES},
        **comments,
        "short_comment": is_short(**comments),
        **{name: values.tags(cells.get(name, "")) for name in TAGS},
    }


def _hashed(name: str) -> bytes:
    """Annotators are numbered in an order that tells neither their name nor their place in the file."""
    return hashlib.sha256(f"{SALT}\0{name}".encode()).digest()
