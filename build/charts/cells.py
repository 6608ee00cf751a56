"""The cells of one chart file, as text: headers of all years, byte order mark or none, re-saved by pandas or not."""

import csv
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.csv as pa_csv

from build.charts.names import RefusedError
from build.tables import match_key

_TOLD = 200  # characters of a line that are shown
ROLES = ("rank", "title", "artist", "url")  # what is read of a chart; its other columns are left alone


def parse_chart(payload: bytes, roles: Mapping[str, str]) -> tuple[pa.Table, dict[int, str]]:
    """The cells of a chart file, a text column a role of ROLES; and row -> text of the rows of another length.

    Rows are counted from 1, which is the header, without empty ones. `roles` gives the role of a header in matching
    form. Raises RefusedError where the payload is no chart: empty, a web page, not UTF-8, without a column.
    """
    text = _text(payload)
    places = _places(_header(text), roles)
    misshapen: dict[int, str] = {}

    def skip(row: pa_csv.InvalidRow) -> str:
        cells = f"{row.actual_columns} cells, the header has {row.expected_columns}"
        misshapen[row.number] = f"{cells}: {row.text[:_TOLD]}"
        return "skip"

    names = [f"f{place}" for place in places]
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(f"{text}\n".encode()),
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


def _text(payload: bytes) -> str:
    """The file from its header on: what stands before it is a byte order mark or white space."""
    try:
        text = payload.decode("utf-8-sig").lstrip()
    except UnicodeDecodeError as error:
        raise RefusedError("not_utf8", f"byte {error.start}: save the file as UTF-8") from error
    if not text:
        raise RefusedError("empty", "nothing in the file")
    if text.startswith("<"):
        raise RefusedError("html", "a web page: download the chart as CSV in a browser")
    return text


def _header(text: str) -> list[str]:
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
