"""Files that are almost right: bytes of good ones cut, doubled and spoilt, and good tables with odd cells."""

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from build.errors import InputError

_HOW = {"deadline": None, "suppress_health_check": list(HealthCheck)}
BRIEFLY = settings(max_examples=500, derandomize=True, database=None, **_HOW)  # the same examples in every run
AT_LENGTH = settings(max_examples=5_000, derandomize=False, print_blob=True, **_HOW)  # others in every run
MOST_EDITS = 4
PIECES = (
    *(b'"', b'""', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b"\n\n", b"\0", b" "),
    *(b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xed\xa0\x80", "\u2028".encode(), "\u202e".encode(), "\u0663".encode()),
    *(b"-1", b"1e999", b"nan", b"inf", b"1_0", b"9" * 40, b"../", b"http://", b"<html>", b"x" * 3_000),
    *(b"[" * 50, b"{}", b"null"),
)
ODD_CELLS = (
    "",
    " ",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "1.0",
    "1_0",
    "٣",
    "-0",
    "0x1",
    "9" * 40,
    "\0",
    '"',
    "a\nb",
    "\r",
    "NA",
    "é",
)


@st.composite
def _edited(draw: st.DrawFn, files: Sequence[bytes]) -> bytes:
    content = draw(st.sampled_from(files))
    for _ in range(draw(st.integers(1, MOST_EDITS))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 40)))
        put = draw(
            st.one_of(st.just(b""), st.sampled_from(PIECES), st.just(content[start:end] * 2), st.binary(max_size=4))
        )
        content = content[:start] + put + content[end:]
    return content


def damaged(*files: bytes) -> st.SearchStrategy[bytes]:
    """Bytes that begin as one of `files`, are edited in a few places, or are any bytes at all."""
    return st.one_of(_edited(files), _edited(files), st.binary(max_size=200))


def tables(header: Sequence[str], *good: Sequence[str]) -> st.SearchStrategy[bytes]:
    """CSV files with this header whose cells are those of a column of the `good` rows, odd ones, or any text."""
    columns = [
        st.one_of(st.sampled_from(cells), st.sampled_from(cells), st.sampled_from(ODD_CELLS), st.text(max_size=12))
        for cells in zip(*good, strict=True)
    ]
    return st.lists(st.tuples(*columns), max_size=8).map(lambda rows: written(header, rows))


def written(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """A CSV file. Halves of surrogate pairs, which no encoder takes, stand for bytes that are not UTF-8."""
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue().encode("utf-8", "surrogatepass")


def given_or_refused(reader: Callable[[], Any], path: Path) -> Any:
    """What `reader` gives; None where it says that the file `path` cannot be used. Any other error is a find."""
    try:
        return reader()
    except InputError as error:
        if str(path) in str(error):
            return None
        raise AssertionError(f"the error does not name {path}: {error}") from error
