"""Where in a Parquet file the encoded sound of a song lies, so that one song can be read without its row group.

`build.dataset.shards` stores sound uncompressed and PLAIN, with a page index: a payload is a range of bytes of the
file. pyarrow reads whole row groups, eight songs for the one that a shuffled trainer asks for. Numbers of fields are
those of parquet.thrift (apache/parquet-format).
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from build.training.thrift import Struct, read_struct

MAGIC_BYTES = 8  # length of the footer and "PAR1", at the end of every file
SOUND = [b"audio", b"bytes"]
UNCOMPRESSED, DATA_PAGE, PLAIN = 0, 0, 0


class LayoutError(Exception):
    """The file is no shard that this module can read payloads from."""


@dataclass(frozen=True)
class Page:
    """A data page of the sound column: bytes `start` to `end` of the file, with the rows from `first_row` on."""

    start: int
    end: int
    first_row: int


@dataclass(frozen=True)
class RowGroup:
    """The sound of a row group: its column chunk, from `start` to `end`, and the pages in it."""

    n_rows: int
    start: int
    end: int
    pages: tuple[Page, ...]

    def page_of(self, row: int) -> Page:
        """The page that holds row `row` of this row group."""
        return self.pages[bisect_right(self.pages, row, key=lambda page: page.first_row) - 1]


def footer_bytes(tail: bytes | memoryview) -> int:
    """How long the footer of the file is that ends with `tail`, the closing MAGIC_BYTES included."""
    if tail[-4:] != b"PAR1":
        raise LayoutError("it does not end as a Parquet file does")
    return int.from_bytes(tail[-8:-4], "little") + MAGIC_BYTES


def index_start(tail: bytes | memoryview, size: int) -> int:
    """Where the page index or footer of a file of `size` bytes begins; `tail` holds at least the footer."""
    chunks = [_sound_chunk(group) for group in _groups(tail)]
    return min([chunk[4] for chunk in chunks] + [size - footer_bytes(tail)])


def row_groups(tail: bytes | memoryview, size: int) -> list[RowGroup]:
    """The row groups of a file of `size` bytes, of which `tail` is the end from `index_start` or before.

    Raises LayoutError where the sound is compressed or the page index is missing.
    """
    groups = []
    for group in _groups(tail):
        chunk = _sound_chunk(group)
        described = chunk[3]
        if described[4] != UNCOMPRESSED:
            raise LayoutError("its column audio.bytes is compressed")
        index, _ = read_struct(memoryview(tail), chunk[4] - (size - len(tail)))
        pages = tuple(Page(page[1], page[1] + page[2], page[3]) for page in index[1])
        groups.append(RowGroup(group[3], described[9], described[9] + described[7], pages))
    return groups


def payload(page: bytes | memoryview, place: int) -> memoryview:
    """The `place`-th value (nulls not counted) in the bytes of a page, without a copy."""
    data = memoryview(page)
    header, at = read_struct(data, 0)
    if header[1] != DATA_PAGE or header[5][2] != PLAIN:
        raise LayoutError("its column audio.bytes is not in plain pages of version 1")
    at += 4 + int.from_bytes(data[at : at + 4], "little")  # definition levels
    for _ in range(place):
        at += 4 + int.from_bytes(data[at : at + 4], "little")
    size = int.from_bytes(data[at : at + 4], "little")
    if at + 4 + size > len(data):
        raise LayoutError(f"{size} bytes are said to begin {len(data) - at - 4} before the end of the page")
    return data[at + 4 : at + 4 + size]


def _groups(tail: bytes | memoryview) -> list[Struct]:
    footer, _ = read_struct(memoryview(tail), len(tail) - footer_bytes(tail))
    return [group for group in footer[4] if group[3]]  # one without rows has no pages


def _sound_chunk(group: Struct) -> dict[int, Any]:
    for chunk in group[1]:
        if chunk[3][3] == SOUND:
            if 4 not in chunk:
                raise LayoutError("it has no page index")
            return chunk
    raise LayoutError("it has no column audio.bytes")
