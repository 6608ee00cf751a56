"""CSV files as they are found in the wild -> Arrow tables of strings, without guessing.

Nothing is converted: a title `NA`, `nan` or `TRUE` stays a string. Rows are numbered as a spreadsheet shows them: the
header is row 1.
"""

import csv
import io
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from build.errors import InputError

LONGEST_HEADER = 65_536  # bytes
LINE_BREAK = b"\n"
NOT_UTF8 = "\N{REPLACEMENT CHARACTER}"  # what decoding puts in the place of bytes that are none
FIRST_ROW = 2  # number of the first row below the header
_MARKUP = re.compile(rb"\s*<(!doctype|html|head|\?xml)", re.IGNORECASE)


def read_csv(path: Path) -> pa.Table:
    """The rows of a UTF-8 CSV file (with or without a byte order mark), every column a string, empty fields empty.

    Raises InputError for a file that is empty, a web page, not UTF-8, or has rows of another length than its header.
    """
    content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    if not content or content.isspace():
        raise InputError(f"{path}: the file is empty; a CSV file with a header is wanted")
    if _MARKUP.match(content):
        raise InputError(f"{path}: this is a web page, not CSV; download the file itself (on GitHub: the raw file)")
    names = _header(content, path)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{path}: the header names {twice} more than once; every column needs a name of its own")
    try:
        table = _parse(content, len(names))
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}{_what_is_wrong(content) or f': {error}'}") from error
    if [cell for cells in table.slice(0, 1).columns for cell in cells.to_pylist()] != names:
        raise InputError(f"{path}, row 1: the header cannot be read: {names}; are its quotes in order?")
    return table.slice(1).rename_columns(names)


def _parse(content: bytes, n_columns: int) -> pa.Table:
    """All rows, the header among them: names that Arrow read otherwise than we would have their columns guessed."""
    return pyarrow.csv.read_csv(
        pa.BufferReader(content if content.endswith(b"\n") else content + b"\n"),  # Arrow wants one behind a header
        read_options=pyarrow.csv.ReadOptions(autogenerate_column_names=True),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=b'"' in content),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={f"f{place}": pa.string() for place in range(n_columns)},
            strings_can_be_null=False,
            null_values=[],
        ),
    )


def _header(content: bytes, path: Path) -> list[str]:
    start = content[:LONGEST_HEADER].lstrip(b"\r\n").decode("utf-8", errors="replace")
    try:
        names = next(csv.reader(io.StringIO(start)), [])
    except csv.Error as error:
        raise InputError(f"{path}, row 1: the header cannot be read: {error}") from error
    if NOT_UTF8 in "".join(names) and (wrong := _what_is_wrong(content)):
        raise InputError(f"{path}{wrong}")
    return names


def _what_is_wrong(content: bytes) -> str | None:
    """The first row that cannot be read, and why."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return (
            f", row {content.count(LINE_BREAK, 0, error.start) + 1}: byte {content[error.start]:#04x} is not UTF-8; "
            "save the file as UTF-8 (which encoding it is cannot be told, and a wrong guess spoils every accent)"
        )
    number, header = 0, None
    try:
        for number, row in enumerate(filter(None, csv.reader(io.StringIO(text, newline=""))), start=1):
            header = header or row
            if len(row) != len(header):
                fields = f"{len(row)} fields and the header {len(header)}"
                return f", row {number}: has {fields}; quote fields that hold a comma"
    except csv.Error as error:
        return f", row {number + 1}: {error}"
    return None
