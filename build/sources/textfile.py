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
    names = _header(content)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{path}: the header names {twice} more than once; every column needs a name of its own")
    try:
        return _parse(content, names)
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}{_what_is_wrong(content) or f': {error}'}") from error


def _parse(content: bytes, names: list[str]) -> pa.Table:
    if content.rfind(b"\n", 0, len(content) - 1) < 0:  # a header alone: Arrow wants a line break behind it
        content = content.strip() + b"\n"
    return pyarrow.csv.read_csv(
        pa.BufferReader(content),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=b'"' in content),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, null_values=[]
        ),
    )


def _header(content: bytes) -> list[str]:
    start = content[:LONGEST_HEADER].lstrip().decode("utf-8", errors="replace")
    return next(csv.reader(io.StringIO(start)))


def _what_is_wrong(content: bytes) -> str | None:
    """The first row that cannot be read, and why."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return (
            f", row {content.count(LINE_BREAK, 0, error.start) + 1}: byte {content[error.start]:#04x} is not UTF-8; "
            "save the file as UTF-8 (which encoding it is cannot be told, and a wrong guess spoils every accent)"
        )
    rows = (row for row in csv.reader(io.StringIO(text, newline="")) if row)
    header = next(rows)
    for number, row in enumerate(rows, start=FIRST_ROW):
        if len(row) != len(header):
            return f", row {number}: has {len(row)} fields and the header {len(header)}; quote fields that hold a comma"
    return None
