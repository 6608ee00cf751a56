"""CSV files as they are found in the wild -> Arrow tables of strings, without guessing.

Nothing is converted: a title `NA`, `nan` or `TRUE` stays a string. The header is row 1; empty lines are not counted.
"""

import codecs
import csv
import io
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from build.errors import InputError

LONGEST_HEADER = 65_536  # bytes
BLOCK_BYTES = 8 * 1024**2  # read at a time by each thread, with dictionaries of its own
LINE_BREAK, QUOTE = b"\n", ord('"')
NOT_UTF8 = "\N{REPLACEMENT CHARACTER}"  # what decoding puts in the place of bytes that are none
FIRST_ROW = 2  # number of the first row below the header
_MARKUP = re.compile(rb"\s*<(!doctype|html|head|\?xml)", re.IGNORECASE)


def read_csv(path: Path, dictionaries: bool = False) -> pa.Table:
    """The rows of a UTF-8 CSV file (with or without a byte order mark), every column a string, empty fields empty.

    With `dictionaries` columns are dictionaries of strings, for files that name the same few things over and over.
    Raises InputError for a file that is empty, a web page, not UTF-8, or has rows of another length than its header.
    """
    with pa.OSFile(str(path)) as file:
        content = file.read_buffer()
    head = content[:LONGEST_HEADER].to_pybytes().removeprefix(codecs.BOM_UTF8)
    if not head.strip() and not content.to_pybytes().removeprefix(codecs.BOM_UTF8).strip():
        raise InputError(f"{path}: the file is empty; a CSV file with a header is wanted")
    if _MARKUP.match(head):
        raise InputError(f"{path}: this is a web page, not CSV; download the file itself (on GitHub: the raw file)")
    names = _header(head, content, path)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{path}: the header names {twice} more than once; every column needs a name of its own")
    kind = pa.dictionary(pa.int32(), pa.string()) if dictionaries else pa.string()
    try:
        table = _parse(content, len(names), kind)
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}{_what_is_wrong(content) or f': {error}'}") from error
    if [cell for cells in table.slice(0, 1).columns for cell in cells.to_pylist()] != names:
        raise InputError(f"{path}, row 1: the header cannot be read: {names}; are its quotes in order?")
    return table.slice(1).rename_columns(names)


def _parse(content: pa.Buffer, n_columns: int, kind: pa.DataType) -> pa.Table:
    """All rows, the header among them: names that Arrow read otherwise than we would have their columns guessed."""
    if content[-1:].to_pybytes() != LINE_BREAK:  # Arrow wants one behind a header
        content = pa.py_buffer(content.to_pybytes() + LINE_BREAK)
    return pyarrow.csv.read_csv(
        pa.BufferReader(content),
        read_options=pyarrow.csv.ReadOptions(autogenerate_column_names=True, block_size=BLOCK_BYTES),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=QUOTE in np.frombuffer(content, np.uint8)),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={f"f{place}": kind for place in range(n_columns)}, strings_can_be_null=False, null_values=[]
        ),
    )


def _header(head: bytes, content: pa.Buffer, path: Path) -> list[str]:
    start = head.lstrip(b"\r\n").decode("utf-8", errors="replace")
    try:
        names = next(csv.reader(io.StringIO(start)), [])
    except csv.Error as error:
        raise InputError(f"{path}, row 1: the header cannot be read: {error}") from error
    if NOT_UTF8 in "".join(names) and (wrong := _what_is_wrong(content)):
        raise InputError(f"{path}{wrong}")
    return names


def _what_is_wrong(buffer: pa.Buffer) -> str | None:
    """The first row that cannot be read, and why."""
    content = buffer.to_pybytes().removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return (
            f", line {content.count(LINE_BREAK, 0, error.start) + 1}: byte {content[error.start]:#04x} is not UTF-8; "
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
