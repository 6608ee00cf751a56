"""Rows -> Parquet shards, byte for byte the same for the same rows.

A song's shard and its place in it follow from its id alone, so a song that comes or goes touches one shard. Row groups
are small enough for a trainer's workers to share and for the Hub's viewer to read.
"""

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from datasets import Features

from build import storage
from build.dataset.schema import arrow_schema
from build.split import shelf
from globalmood import FEATURES, SPLITS

LEAST_SHARDS = {"train": 16, "test": 4}  # files for the workers of a trainer to share
SONGS_A_SHARD = 256  # beyond that, on average, the number of shards doubles: some 400 MB of FLAC
SONGS_A_ROW_GROUP = 8
ROWS_A_ROW_GROUP = 65_536  # in tables without sound
CHUNKING = {"min_chunk_size": 256 * 1024, "max_chunk_size": 1024 * 1024, "norm_level": 0}  # as `datasets` writes it
SOUND = "audio.bytes"  # the one Parquet column that holds compressed data already
A_PAGE_A_SONG = {"write_batch_size": 1, "data_page_size": 64 * 1024}  # so that a song is read without its neighbours


def shard_count(split: str, n_songs: int) -> int:
    """How many files a split of `n_songs` should have: a power of two, so that it seldom changes."""
    count = LEAST_SHARDS[split]
    while n_songs > count * SONGS_A_SHARD:
        count *= 2
    return count


def all_filled(count: int, places: Sequence[float]) -> int:
    """`count`, halved until no shard is without a row: versions 5.0 and 5.1 of `datasets` fail where the first one is.

    `places`, from 0 up to 1, tell which shard a row is in.

    >>> all_filled(4, [0.1, 0.3, 0.6, 0.9]), all_filled(4, [0.6, 0.1, 0.9])
    (4, 2)
    """
    while count > 1 and len({int(place * count) for place in places}) < count:
        count //= 2
    return count


def song_shards(rows: pa.Table, cells: pa.Table) -> Iterator[tuple[str, pa.Table, pa.Table]]:
    """Yield (path below the built folder, its rows, their cells) for every song shard, those without rows included.

    `rows` are those of `build.dataset.rows.song_rows`, in the order of `shelf`: a shard is a range of it. `cells`
    are CELLS; those of other songs are left out.
    """
    places = np.array([shelf(song_id) for song_id in rows["song_id"].to_pylist()])
    inside = {split: places[pc.equal(rows["split"], split).to_numpy()] for split in SPLITS}
    counts = {split: all_filled(shard_count(split, len(own)), own.tolist()) for split, own in inside.items()}
    names = [f"data/{split}-{n:05d}-of-{counts[split]:05d}.parquet" for split in SPLITS for n in range(counts[split])]
    shard = _shard_numbers(rows["split"].to_pylist(), places, counts)
    place = pc.index_in(cells["song_id"], value_set=rows["song_id"].combine_chunks())
    cells, place = cells.filter(pc.is_valid(place)), place.drop_null().to_numpy()
    yield from zip(names, _parts(rows, shard, len(names)), _parts(cells, shard[place], len(names)), strict=True)


def _shard_numbers(splits: list[str], places: np.ndarray, counts: dict[str, int]) -> np.ndarray:
    """The number of every row's shard, where those of all splits are counted through."""
    first = dict(zip(counts, np.cumsum([0, *counts.values()])[:-1].tolist(), strict=True))
    pairs = zip(splits, places.tolist(), strict=True)
    return np.array([first[split] + int(place * counts[split]) for split, place in pairs], np.int64)


def _parts(table: pa.Table, numbers: np.ndarray, count: int) -> Iterator[pa.Table]:
    """The rows of `table` by their numbers from 0 to `count` - 1, each part in the order of the table."""
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(count), side="right").tolist()
    for start, end in pairwise([0, *ends]):
        yield table.take(pa.array(order[start:end], pa.int64()))


def write_songs(path: Path, rows: pa.Table) -> None:
    """Write one song shard, reading the sound of a row group at a time from the files named in `clip`."""
    schema = arrow_schema(FEATURES["all"])
    with parquet_writer(path, schema) as writer:
        for start in range(0, rows.num_rows, SONGS_A_ROW_GROUP):
            group = rows.slice(start, SONGS_A_ROW_GROUP)
            group = group.append_column("audio", sound_cells(group["song_id"].to_pylist(), group["clip"].to_pylist()))
            writer.write_table(group.select(schema.names).cast(schema), row_group_size=SONGS_A_ROW_GROUP)


def write_table(path: Path, features: Features, table: pa.Table) -> None:
    """Write a table without sound as one file."""
    schema = arrow_schema(features)
    with parquet_writer(path, schema) as writer:
        if table.num_rows:  # a row group without rows makes `datasets` ask for batches of size 0, and fail
            writer.write_table(table.select(schema.names).cast(schema), row_group_size=ROWS_A_ROW_GROUP)


def sound_cells(ids: Sequence[object], files: Sequence[str | None]) -> pa.StructArray:
    """Audio cells from the files that hold them: {"bytes", "path"}, or a null struct where there is no file.

    `path` is the id and the ending of the file.
    """
    paths = [Path(file) if file else None for file in files]
    names = [f"{name}{path.suffix}" if path else None for name, path in zip(ids, paths, strict=True)]
    payloads = [storage.read_bytes(storage.at(file)) if file else None for file in files]
    return pa.StructArray.from_arrays(
        [pa.array(payloads, pa.binary()), pa.array(names, pa.string())],
        names=["bytes", "path"],
        mask=pa.array([path is None for path in paths]),
    )


@contextmanager
def parquet_writer(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """A writer of a published file: page index, content-defined chunks, sound uncompressed and everything else zstd.

    Raises OSError at the end of the block where not all of it could be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    leaves = _leaves(schema)
    described = [leaf for leaf in leaves if leaf != SOUND]
    with open(path, "wb") as file:
        sink = _Sink(file)
        with pq.ParquetWriter(
            sink,
            schema,
            compression={leaf: "none" if leaf == SOUND else "zstd" for leaf in leaves},
            use_dictionary=described,
            write_statistics=described,
            write_page_index=True,
            use_content_defined_chunking=CHUNKING,
            **(A_PAGE_A_SONG if SOUND in leaves else {}),
        ) as writer:
            yield writer
            writer.add_key_value_metadata({"content_defined_chunking": json.dumps(CHUNKING)})  # as `datasets` notes it
        if sink.error:
            raise sink.error


class _Sink(io.RawIOBase):
    """A file that keeps the error of a write for later: Arrow ends the whole process where chunked pages meet one."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._place = file, 0
        self.error: OSError | None = None

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def write(self, content: Any) -> int:
        if self.error is None:
            try:
                self._file.write(content)
            except OSError as error:
                self.error = OSError(error.errno, error.strerror, self._file.name)
        size = memoryview(content).nbytes
        self._place += size
        return size


def _leaves(schema: pa.Schema) -> list[str]:
    """Paths of the Parquet columns that a schema becomes, such as `korean.mean.list.element`."""
    buffer = io.BytesIO()
    pq.ParquetWriter(buffer, schema).close()
    columns: Any = pq.ParquetFile(buffer).schema
    return [columns.column(index).path for index in range(len(columns))]
