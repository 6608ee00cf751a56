"""`build.training.pages` against what pyarrow reads from the same file."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build.dataset.shards import CHUNKING
from build.training import pages

TYPE = pa.struct({"bytes": pa.binary(), "path": pa.string()})


def parquet(sizes, **options) -> bytes:
    """A file with a song a size, None for a song without audio, three songs in a row group."""
    draw = np.random.default_rng(0)
    cells = [None if size is None else {"bytes": draw.bytes(size), "path": "a.flac"} for size in sizes]
    table = pa.table({"song_id": [str(i) for i in range(len(sizes))], "audio": pa.array(cells, TYPE)})
    stream = io.BytesIO()
    plain = {"compression": "none", "use_dictionary": False, "write_page_index": True}
    pq.write_table(table, stream, row_group_size=3, **plain | options)
    return stream.getvalue()


def payloads(file: bytes) -> list[bytes | None]:
    """Every payload, found through pages alone."""
    there = [cell is not None for cell in pq.read_table(io.BytesIO(file))["audio"].to_pylist()]
    found = []
    for group in pages.row_groups(file, len(file)):
        valid = [there.pop(0) for _ in range(group.n_rows)]
        for row in range(group.n_rows):
            page = group.page_of(row)
            place = sum(valid[page.first_row : row])
            found.append(bytes(pages.payload(file[page.start : page.end], place)) if valid[row] else None)
    return found


@pytest.mark.parametrize("chunking", [False, CHUNKING], ids=["in one page", "in pages by content"])
@pytest.mark.parametrize(
    "sizes",
    [
        [5, 6, 7, 8],
        [None, 10, None, 11, 12, None, 13],
        [None] * 4,
        [0, 3, 0],
        [700_000, 700_001, 700_002, 40, 300_000, 300_001],
        [1_500_000, None, 1_500_001],
        [],
    ],
    ids=str,
)
def test_payloads_are_those_that_pyarrow_reads(sizes, chunking):
    file = parquet(sizes, use_content_defined_chunking=chunking)
    wanted = [cell and cell["bytes"] for cell in pq.read_table(io.BytesIO(file))["audio"].to_pylist()]
    assert payloads(file) == wanted


def test_a_large_payload_has_a_page_to_itself():
    file = parquet([1_500_000] * 6, use_content_defined_chunking=CHUNKING)
    for group in pages.row_groups(file, len(file)):
        assert [page.first_row for page in group.pages] == [0, 1, 2]
        assert all(page.end - page.start < 1_500_100 for page in group.pages)


def test_payload_is_a_view_and_no_copy():
    file = parquet([100, 200, 300])
    page = pages.row_groups(file, len(file))[0].pages[0]
    content = file[page.start : page.end]
    assert pages.payload(content, 1).obj is content


def test_the_column_chunk_covers_its_pages_and_nothing_of_another_column():
    file = parquet([1000, 2000, 3000, 4000])
    metadata = pq.ParquetFile(io.BytesIO(file)).metadata
    for index, group in enumerate(pages.row_groups(file, len(file))):
        column = metadata.row_group(index).column(1)
        assert column.path_in_schema == "audio.bytes"
        assert (group.start, group.end) == (
            column.data_page_offset,
            column.data_page_offset + column.total_compressed_size,
        )


def test_the_end_from_the_page_index_on_is_all_that_is_needed():
    file = parquet([1000, None, 3000, 4000], write_statistics=False)
    footer = file[-pages.footer_bytes(file[-8:]) :]
    start = pages.index_start(footer, len(file))
    assert len(file) - start < 2000
    assert pages.row_groups(file[start:], len(file)) == pages.row_groups(file, len(file))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compression": "zstd"}, "is compressed"),
        ({"write_page_index": False}, "no page index"),
        ({"use_dictionary": True}, "not in plain pages"),
        ({"data_page_version": "2.0"}, "not in plain pages"),
    ],
)
def test_other_layouts_are_named(options, message):
    with pytest.raises(pages.LayoutError, match=message):
        payloads(parquet([1000, 1000, 1000], **options))


def test_a_file_without_sound_or_of_another_kind_is_named():
    stream = io.BytesIO()
    pq.write_table(pa.table({"song_id": ["a"]}), stream)
    with pytest.raises(pages.LayoutError, match=r"no column audio\.bytes"):
        pages.row_groups(stream.getvalue(), len(stream.getvalue()))
    with pytest.raises(pages.LayoutError, match="does not end as a Parquet file does"):
        pages.footer_bytes(b"version https://git-lfs.github.com/spec/v1")


def test_a_payload_that_reaches_beyond_its_page_is_named():
    file = parquet([1000])
    [group] = pages.row_groups(file, len(file))
    page = file[group.pages[0].start : group.pages[0].end]
    assert len(pages.payload(page, 0)) == 1000
    with pytest.raises(pages.LayoutError, match="1000 bytes are said to begin 990 before the end of the page"):
        pages.payload(page[:-10], 0)
