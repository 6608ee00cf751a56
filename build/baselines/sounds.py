"""The sound in a built folder, a row group at a time: the unit of work of every stage."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from build.errors import InputError
from build.validate.files import read_manifest
from globalmood import waveform

Samples = NDArray[np.float32]
SHARDS = {"globalmood": ("data/*.parquet", "song_id"), "madb": ("scores/*.parquet", "id")}  # files, and column of ids


class Group(NamedTuple):
    """A row group of a shard that holds sound; `content` are (id, SHA-256 of the sound) of its songs that have any."""

    path: Path
    number: int
    id_column: str
    content: tuple[tuple[str, str], ...]


class Sound(NamedTuple):
    """A song's sound: `samples` (n,) mono, full scale +-1, at `rate_hz`."""

    song_id: str
    samples: Samples
    rate_hz: int


def dataset_of(folder: Path) -> str:
    """Which dataset a built folder holds, a name in SHARDS; InputError where it holds none of them."""
    name = read_manifest(folder).get("name")
    if name not in SHARDS:
        raise InputError(f"{folder}: holds {name!r}; baselines are for {' and '.join(SHARDS)}")
    return str(name)


def sound_groups(folder: Path) -> list[Group]:
    """The row groups of a built folder that hold sound; InputError where none does, or where it is no such folder."""
    pattern, id_column = SHARDS[dataset_of(folder)]
    groups = [group for path in sorted(folder.glob(pattern)) for group in _groups(path, id_column) if group.content]
    if not groups:
        raise InputError(f"{folder}: no song has sound; build it with audio first")
    return groups


def _groups(path: Path, id_column: str) -> Iterator[Group]:
    with pq.ParquetFile(path) as file:
        for number in range(file.num_row_groups):
            rows = file.read_row_group(number, columns=[id_column, "audio_sha256"]).to_pylist()
            content = tuple((str(row[id_column]), row["audio_sha256"]) for row in rows if row["audio_sha256"])
            yield Group(path, number, id_column, content)


def payloads(group: Group) -> Iterator[tuple[str, dict[str, Any]]]:
    """(id, {"bytes", "path"}) of the songs of a group that have sound."""
    with pq.ParquetFile(group.path) as file:
        for row in file.read_row_group(group.number, columns=[group.id_column, "audio"]).to_pylist():
            if row["audio"] is not None:
                yield str(row[group.id_column]), row["audio"]


def sounds(group: Group, rate_hz: int) -> Iterator[Sound]:
    """The songs of a group that have sound, decoded, mixed to mono and resampled."""
    for song_id, audio in payloads(group):
        samples, _ = waveform(audio, rate_hz=rate_hz, mono=True)
        yield Sound(song_id, samples[0], rate_hz)
