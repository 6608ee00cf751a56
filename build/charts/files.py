"""Reads a folder of chart downloads: headers and lines as they are found in the wild."""

import csv
import os
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from build.charts import CHART_LINES
from build.charts.names import RefusedError, chart_name
from build.errors import InputError
from build.tables import DROPPED, match_key
from build.workspace import METADATA

ROLES = ("rank", "title", "artist", "url")
HEADERS = METADATA / "chart_headers.csv"
_CELLS = pa.schema([(role, pa.string()) for role in ROLES])
_FILES = pa.schema([("file", pa.string()), ("country", pa.string()), ("week", pa.date32())])
_FILES_A_BATCH = 512  # tables of one file are small: joined and coded batch by batch they take half the memory


@dataclass(frozen=True)
class Charts:
    """What a folder holds: `lines` (CHART_LINES), `dropped` (DROPPED: refused files, misshapen lines), and
    `files` (file, country, week) of the files that were read.
    """

    lines: pa.Table
    dropped: pa.Table
    files: pa.Table


@dataclass
class _File:
    name: str
    country: str = ""
    week: date | None = None
    cells: pa.Table | None = None
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    dropped: list[dict[str, object]] = field(default_factory=list)


def read_charts(folder: Path, countries: Collection[str], headers: Path = HEADERS) -> Charts:
    """Read the files at any depth below `folder`, in the order of their paths; hidden ones are left alone.

    `countries` are the codes (ISO 3166-1 alpha-2, upper case) that may stand in a name; `headers` is the table of
    accepted headers. Raises InputError where the folder is missing or holds no file that can be read as a chart.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: give the folder that holds the weekly chart files")
    roles = header_roles(headers)
    paths = sorted(path for path in folder.rglob("[!.]*") if path.is_file())
    parts = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for start in range(0, len(paths), _FILES_A_BATCH):
            batch = pool.map(lambda path: _read(path, folder, countries, roles), paths[start : start + _FILES_A_BATCH])
            parts.append(_joined(list(batch)))
    charts = _all_of(parts)
    if not charts.files.num_rows:
        raise InputError(f"{folder} holds no weekly chart file that can be read; {_first_refusals(charts.dropped)}")
    return charts


def header_roles(path: Path) -> dict[str, str]:
    """Accepted header (in matching form) to its role, from a CSV with the columns role and header."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    unknown = sorted({row["role"] for row in rows} - set(ROLES))
    if unknown:
        raise InputError(f"{path}: unknown roles {unknown}; allowed are {list(ROLES)}")
    return {match_key(row["header"]): row["role"] for row in rows}


def _first_refusals(dropped: pa.Table) -> str:
    refused = [f"{row['file']}: {row['reason']} ({row['detail']})" for row in dropped.slice(0, 3).to_pylist()]
    return "; ".join(refused) or "it is empty"


def _read(path: Path, folder: Path, countries: Collection[str], roles: Mapping[str, str]) -> _File:
    name = path.relative_to(folder).as_posix()
    try:
        country, week = chart_name(path.name, countries)
        cells, misshapen = parse_chart(path.read_bytes(), roles)
    except RefusedError as refused:
        return _File(name, dropped=[_drop(name, 0, refused.reason, refused.detail)])
    rows = np.delete(np.arange(1, cells.num_rows + len(misshapen) + 1), [row - 1 for row in misshapen])
    drops = [_drop(name, row, "row_shape", text) for row, text in misshapen.items()]
    return _File(name, country, week, cells, rows, drops)


def _drop(file: str, row: int, reason: str, detail: str) -> dict[str, object]:
    return {"file": file, "row": row, "reason": reason, "detail": detail}


def parse_chart(payload: bytes, roles: Mapping[str, str]) -> tuple[pa.Table, dict[int, str]]:
    """The cells of a chart file as text, a column a role, and the lines (numbered from 1) that do not fit the header.

    Raises RefusedError where the payload is no chart: empty, a web page, not UTF-8, without a column, broken quotes.
    """
    places = _places(_header(payload), roles)
    misshapen: dict[int, str] = {}

    def skip(row: pa_csv.InvalidRow) -> str:
        misshapen[row.number - 1] = f"{row.actual_columns} cells, the header has {row.expected_columns}: {row.text}"
        return "skip"

    names = [f"f{place}" for place in places]
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(payload),
            read_options=pa_csv.ReadOptions(use_threads=False, autogenerate_column_names=True),
            parse_options=pa_csv.ParseOptions(newlines_in_values=True, invalid_row_handler=skip),
            convert_options=pa_csv.ConvertOptions(
                include_columns=names, column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise RefusedError("malformed", str(error)) from error
    if table.num_rows + len(misshapen) < 2:
        raise RefusedError("empty", "no line below the header")
    return table.slice(1).rename_columns(list(ROLES)), misshapen


def _header(payload: bytes) -> list[str]:
    if not payload.strip():
        raise RefusedError("empty", "nothing in the file")
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError("not_utf8", f"byte {error.start}: save the file as UTF-8") from error
    if text.lstrip().startswith("<"):
        raise RefusedError("html", "a web page: download the chart as CSV in a browser")
    try:
        return next(csv.reader([text.partition("\n")[0].rstrip("\r")]))
    except csv.Error as error:
        raise RefusedError("malformed", str(error)) from error


def _places(header: list[str], roles: Mapping[str, str]) -> list[int]:
    found = [roles.get(match_key(name)) for name in header]
    wrong = [role for role in ROLES if found.count(role) != 1]
    if wrong:
        raise RefusedError("no_column", f"exactly one column each is needed for {wrong}; the header is {header}")
    return [found.index(role) for role in ROLES]


def _joined(files: list[_File]) -> Charts:
    dropped = pa.Table.from_pylist([drop for file in files for drop in file.dropped], DROPPED)
    read = [file for file in files if file.cells is not None]
    names = pa.Table.from_pylist([{"file": f.name, "country": f.country, "week": f.week} for f in read], _FILES)
    file_of_line = pa.array(np.repeat(np.arange(len(read)), [len(file.rows) for file in read]), pa.int32())
    rows = pa.chunked_array([file.rows for file in read], pa.int64())
    cells = pa.concat_tables([_CELLS.empty_table(), *(file.cells for file in read)])
    lines = names.take(file_of_line).append_column("row", rows)
    for role in ROLES:
        lines = lines.append_column(role, cells[role].combine_chunks().dictionary_encode())
    return Charts(lines.cast(CHART_LINES), dropped, names)


def _all_of(parts: list[Charts]) -> Charts:
    return Charts(
        pa.concat_tables([CHART_LINES.empty_table(), *(part.lines for part in parts)]).combine_chunks(),
        pa.concat_tables([DROPPED.empty_table(), *(part.dropped for part in parts)]),
        pa.concat_tables([_FILES.empty_table(), *(part.files for part in parts)]),
    )
