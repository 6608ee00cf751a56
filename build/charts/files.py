"""Reads a folder of chart downloads into tables of lines."""

import os
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa

from build import vocab
from build.charts.cells import ROLES, parse_chart
from build.charts.names import RefusedError, chart_name
from build.charts.rows import CHART_LINES
from build.errors import InputError
from build.sources.textfile import FIRST_ROW
from build.tables import DROPPED, match_key
from build.workspace import METADATA

HEADERS = METADATA / "chart_headers.csv"
FILES = pa.schema([("file", pa.string()), ("country", pa.string()), ("week", pa.date32())])
_CELLS = pa.schema([(role, pa.string()) for role in ROLES])
FILES_A_BATCH = 512  # read, joined and passed on together: what is not needed of them is gone before the next


@dataclass(frozen=True)
class Charts:
    """What some files hold: `lines` (CHART_LINES), `dropped` (DROPPED: refused files, which have row 0, and lines of
    another length than their header), and `files` (FILES), those that were read.
    """

    lines: pa.Table
    dropped: pa.Table
    files: pa.Table


@dataclass(frozen=True)
class _File:
    name: str
    dropped: list[dict[str, object]]
    country: str = ""
    week: date | None = None
    cells: pa.Table = field(default_factory=_CELLS.empty_table)
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))


def read_charts(folder: Path, countries: Collection[str], headers: Path = HEADERS) -> Iterator[Charts]:
    """Read the files at any depth below `folder`, in the order of their paths, in batches; hidden ones are left alone.

    `countries` are the codes (ISO 3166-1 alpha-2, upper case) that may stand in a name; `headers` is the table of
    accepted headers. Raises InputError where the folder, or a file in it, cannot be opened.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: give the folder that holds the weekly chart files")
    roles = header_roles(headers)
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not _hidden(path.relative_to(folder)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for start in range(0, len(paths), FILES_A_BATCH):
            batch = paths[start : start + FILES_A_BATCH]
            yield _joined(list(pool.map(lambda path: _read(path, folder, countries, roles), batch)))


def header_roles(path: Path) -> dict[str, str]:
    """Accepted header, in matching form, to its role in ROLES, from a CSV file with the columns role and header."""
    roles = {}
    for number, row in enumerate(vocab.read_rows(path, ("role", "header")), start=FIRST_ROW):
        if row["role"] not in ROLES:
            raise InputError(f"{path}, row {number}: role {row['role']!r} is none of {', '.join(ROLES)}")
        roles[match_key(row["header"])] = row["role"]
    return roles


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _read(path: Path, folder: Path, countries: Collection[str], roles: Mapping[str, str]) -> _File:
    name = path.relative_to(folder).as_posix().encode(errors="replace").decode()
    try:
        country, week = chart_name(path.name, countries)
        cells, misshapen = parse_chart(path.read_bytes(), roles)
    except RefusedError as refused:
        return _File(name, [_drop(name, 0, refused.reason, refused.detail)])
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); make it readable or take it away") from error
    rows = np.arange(FIRST_ROW, FIRST_ROW + cells.num_rows + len(misshapen))
    drops = [_drop(name, row, "row_shape", text) for row, text in misshapen.items()]
    return _File(name, drops, country, week, cells, np.delete(rows, [row - FIRST_ROW for row in misshapen]))


def _drop(file: str, row: int, reason: str, detail: str) -> dict[str, object]:
    return {"file": file, "row": row, "reason": reason, "detail": detail}


def _joined(files: list[_File]) -> Charts:
    dropped = pa.Table.from_pylist([drop for file in files for drop in file.dropped], DROPPED)
    read = [file for file in files if file.week is not None]
    names = pa.Table.from_pylist([{"file": f.name, "country": f.country, "week": f.week} for f in read], FILES)
    lines = names.take(pa.array(np.repeat(np.arange(len(read)), [len(file.rows) for file in read]), pa.int64()))
    lines = lines.append_column("row", pa.chunked_array([file.rows for file in read], pa.int64()))
    cells = pa.concat_tables([_CELLS.empty_table(), *(file.cells for file in read)])
    for role in ROLES:
        lines = lines.append_column(role, cells[role].combine_chunks().dictionary_encode())
    return Charts(lines.cast(CHART_LINES), dropped, names)
