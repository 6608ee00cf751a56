"""Tracks -> Parquet shards. Tracks are whole and differ in size, so row groups and shards follow from their bytes."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from build.dataset.schema import arrow_schema
from build.dataset.shards import all_filled, parquet_writer, sound_cells
from build.madb.contract import FEATURES, SPLITS
from build.split import position

LEAST_SHARDS = {"train": 16, "validation": 4}  # files for the workers of a trainer to share
BYTES_A_SHARD = 400_000_000  # beyond that, on average, the number of shards doubles
BYTES_A_ROW_GROUP = 16_000_000  # of sound: some eight tracks, a quarter of what the Hub's viewer reads at once
ROWS_A_ROW_GROUP = 1_000  # at most, where tracks have no sound


def track_shards(tracks: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield (path below the built folder, its tracks) of every shard; tracks are in the order of their id's hash.

    `tracks` has the columns of `build.madb.sounds.add_sounds`. A track's shard follows from its id and the number of
    shards, so a track that comes or goes touches one shard.
    """
    places = [position(str(track)) for track in tracks["id"].to_pylist()]
    order = sorted(range(len(places)), key=places.__getitem__)
    splits = tracks["split"].to_pylist()
    for split in SPLITS:
        chosen = [index for index in order if splits[index] == split]
        size = sum(tracks["bytes"].take(pa.array(chosen, pa.int64())).fill_null(0).to_pylist())
        count = all_filled(shard_count(split, size), [places[index] for index in chosen])
        for shard in range(count):
            inside = [index for index in chosen if int(places[index] * count) == shard]
            yield f"scores/{split}-{shard:05d}-of-{count:05d}.parquet", tracks.take(pa.array(inside, pa.int64()))


def shard_count(split: str, n_bytes: int) -> int:
    """How many files hold `n_bytes` of sound: a power of two, so that it seldom changes."""
    count = LEAST_SHARDS[split]
    while n_bytes > count * BYTES_A_SHARD:
        count *= 2
    return count


def row_groups(sizes: list[int]) -> Iterator[tuple[int, int]]:
    """Cut rows of these sizes in bytes into (start, length), none above BYTES_A_ROW_GROUP unless it is one row."""
    start, total = 0, 0
    for index, size in enumerate(sizes):
        if index > start and (total + size > BYTES_A_ROW_GROUP or index - start == ROWS_A_ROW_GROUP):
            yield start, index - start
            start, total = index, 0
        total += size
    if len(sizes) > start:
        yield start, len(sizes) - start


def write_tracks(path: Path, tracks: pa.Table) -> None:
    """Write one shard, reading the sound of a row group at a time."""
    schema = arrow_schema(FEATURES["scores"])
    with parquet_writer(path, schema) as writer:
        for start, length in row_groups(tracks["bytes"].fill_null(0).to_pylist()):
            group = tracks.slice(start, length)
            group = group.append_column("audio", sound_cells(group["id"].to_pylist(), group["file"].to_pylist()))
            writer.write_table(group.select(schema.names).cast(schema), row_group_size=length)
