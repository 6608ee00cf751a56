"""MADB's list of mean scores and its validation list -> one row a track."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from build.errors import InputError
from build.madb import values
from build.madb.contract import SCORES, SOURCES, SPLITS
from build.madb.headers import Mapping, columns_of, require
from build.sources.textfile import FIRST_ROW, read_csv

LIST = ("song_avg_scores.csv", "avg_score.csv")
VALIDATION = ("split_val_seed5.csv", "split_val.csv")
FIXED = ("id", "name", "source", "is_pure_music")

TRACKS = pa.schema(
    [
        pa.field("id", pa.int32(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("is_pure_music", pa.bool_(), nullable=False),
        *(pa.field(name, pa.float32()) for name in SCORES),
        pa.field("mood", pa.list_(pa.string()), nullable=False),
        pa.field("genre", pa.list_(pa.string()), nullable=False),
        pa.field("split", pa.string(), nullable=False),
    ]
)


def read_tracks(path: Path, validation: frozenset[int], mapping: Mapping) -> pa.Table:
    """TRACKS of a list of mean scores, sorted by id; those in `validation` are the validation split.

    Raises InputError, naming file and row, for a missing column, an id used twice, an unknown source, or a score that
    is neither 1 to 5 nor 0 (not applicable, which becomes null).
    """
    table = read_csv(path)
    found = columns_of("tracks", table.column_names, mapping) | _scores(table.column_names, mapping)
    require(path, found, FIXED, table.column_names, "tracks")
    missing = [column for name, column in SCORES.items() if name not in found]
    if missing:
        raise InputError(
            f"{path}: no column {missing[0]!r} of metadata/madb/dimensions.csv; it has {table.column_names}"
        )
    rows = list(_rows(table, found, validation, path))
    if not rows:
        raise InputError(f"{path}: the list has a header and no tracks")
    return pa.Table.from_pylist(sorted(rows, key=lambda row: row["id"]), TRACKS)


def read_validation(path: Path | None) -> frozenset[int]:
    """Ids of the validation split: the only column of the file, or the one called id. None: no track is in it."""
    if path is None:
        return frozenset()
    table = read_csv(path)
    found = columns_of("tracks", table.column_names, {})
    column = table[found.get("id", table.column_names[0])].to_pylist()
    return frozenset(values.number(text, f"{path}, row {row}") for row, text in enumerate(column, start=FIRST_ROW))


def _scores(names: list[str], mapping: Mapping) -> dict[str, str]:
    """Dimension -> column, called as in the file, as published, or as mapped."""
    found = {}
    for name, column in SCORES.items():
        there = [header for header in (mapping.get(name), column, name) if header in names]
        if there:
            found[name] = there[0]
    return found


def _rows(table: pa.Table, found: dict[str, str], validation: frozenset[int], path: Path) -> Iterator[dict[str, Any]]:
    first_row: dict[int, int] = {}
    for row, cells in enumerate(table.to_pylist(), start=FIRST_ROW):
        where = f"{path}, row {row}"
        track = values.number(cells[found["id"]], where)
        if track in first_row:
            raise InputError(f"{where}: track {track} is already in row {first_row[track]}; every id stands once")
        first_row[track] = row
        yield {
            "id": track,
            "name": cells[found["name"]],
            "source": _source(cells[found["source"]], where),
            "is_pure_music": values.flag(cells[found["is_pure_music"]], where),
            **{name: values.score(cells[found[name]], f"{where}, {name}") for name in SCORES},
            "mood": values.tags(cells[found["mood"]]) if "mood" in found else [],
            "genre": values.tags(cells[found["genre"]]) if "genre" in found else [],
            "split": SPLITS[track in validation],
        }


def _source(text: str, where: str) -> str:
    if text.strip() not in SOURCES:
        raise InputError(f"{where}: source {text!r} is not in metadata/madb/sources.csv ({', '.join(SOURCES)}); add it")
    return text.strip()
