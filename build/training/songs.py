"""What a trainer has to know of a split before it reads any sound: ids, labels, and where each payload lies."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from build.errors import RunError
from build.training import pages
from build.training.files import REQUESTS, Files, Span
from build.training.pages import RowGroup
from globalmood import FILES

MANIFEST = "MANIFEST.json"
TAIL_BYTES = 128 * 1024  # holds the footer and the page index of most shards, so that these cost one request


@dataclass(frozen=True)
class Songs:
    """The songs of a split in the order of its shards.

    `means` (songs, terms) is float32 with NaN where nobody rated, `counts` (songs, terms) int16. `spans` has the page
    that holds a song's payload, None for a song without audio, and `places` which of the page's values it is.
    `group_sizes` are the rows of the row groups in turn; `content` is a digest of the shards.
    """

    ids: list[str]
    means: np.ndarray
    counts: np.ndarray
    spans: list[Span | None]
    places: list[int]
    group_sizes: list[int]
    content: str


def read_songs(files: Files, split: str, languages: Sequence[str]) -> Songs:
    """Read the songs of `split` with the labels of `languages`, whose terms stand side by side.

    Everything but sound is read. Raises FileNotFoundError where there is no built dataset, RunError where a shard is
    not as the build writes it.
    """
    shards = _shards(files, split)
    with ThreadPoolExecutor(REQUESTS) as pool:
        parts = list(pool.map(lambda name: _read_shard(files, name, shards[name], languages), shards))
    return Songs(
        ids=[song_id for part in parts for song_id in part.ids],
        means=np.concatenate([part.means for part in parts]),
        counts=np.concatenate([part.counts for part in parts]),
        spans=[span for part in parts for span in part.spans],
        places=[place for part in parts for place in part.places],
        group_sizes=[size for part in parts for size in part.group_sizes],
        content=hashlib.sha256(json.dumps(shards, sort_keys=True).encode()).hexdigest()[:16],
    )


def _shards(files: Files, split: str) -> dict[str, dict[str, Any]]:
    """Name -> what the manifest says of the song shards of `split`."""
    try:
        entries = json.loads(files.read_whole(MANIFEST))["files"]
        shards = {name: entry for name, entry in entries.items() if fnmatch(name, FILES["all"][split])}
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{files.root} is no built dataset: it has no {MANIFEST}") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise RunError(f"{files.root}/{MANIFEST}: cannot be read ({error}); build or download it again") from error
    if not shards:
        raise RunError(f"{files.root}/{MANIFEST}: lists no {FILES['all'][split]}, so this is no built GlobalMood")
    return shards


def _read_shard(files: Files, name: str, entry: dict[str, Any], languages: Sequence[str]) -> Songs:
    try:
        tail = _tail(files, name, entry["bytes"])
        groups = pages.row_groups(tail, entry["bytes"])
        table = _labels(files, name, tail, groups, entry["bytes"], languages)
        structs = [table[language].combine_chunks() for language in languages]
    except (pages.LayoutError, pa.ArrowException, LookupError, ValueError) as error:
        raise RunError(
            f"{files.root}/{name}: is not the shard that {MANIFEST} describes ({error}); "
            "`python -m build validate` says what else is wrong, building or downloading it again cures it"
        ) from error
    spans, places = _payloads(name, entry["bytes"], groups, table["audio"].is_valid().to_pylist())
    return Songs(
        ids=table["song_id"].to_pylist(),
        means=np.concatenate([_matrix(struct.field("mean"), np.float32) for struct in structs], axis=1),
        counts=np.concatenate([_matrix(struct.field("count"), np.int16) for struct in structs], axis=1),
        spans=spans,
        places=places,
        group_sizes=[group.n_rows for group in groups],
        content=entry["sha256"],
    )


def _tail(files: Files, name: str, size: int) -> bytes | memoryview:
    """The end of a shard, from its page index on or from before."""
    tail = files.read(Span(name, size, max(0, size - TAIL_BYTES), size))
    if pages.footer_bytes(tail) > len(tail):
        tail = files.read(Span(name, size, size - pages.footer_bytes(tail), size))
    start = pages.index_start(tail, size)
    return tail if start >= size - len(tail) else files.read(Span(name, size, start, size))


def _labels(
    files: Files, name: str, tail: bytes | memoryview, groups: list[RowGroup], size: int, languages: Sequence[str]
) -> pa.Table:
    """Ids and labels, read by pyarrow from a copy of the file that is empty where the sound is."""
    sparse = np.zeros(size, np.uint8)  # costs only the memory that is written to
    sparse[size - len(tail) :] = np.frombuffer(tail, np.uint8)
    for span in _around_sound(name, size, groups, size - len(tail)):
        sparse[span.start : span.end] = np.frombuffer(files.read(span), np.uint8)
    columns = [f"{language}.{statistic}" for language in languages for statistic in ("mean", "count")]
    return pq.ParquetFile(pa.BufferReader(sparse)).read(["song_id", "audio.path", *columns])


def _around_sound(name: str, size: int, groups: list[RowGroup], end: int) -> Iterator[Span]:
    at = 0
    for group in groups:
        yield Span(name, size, at, group.start)
        at = group.end
    if at < end:
        yield Span(name, size, at, end)


def _payloads(
    name: str, size: int, groups: list[RowGroup], has_audio: list[bool]
) -> tuple[list[Span | None], list[int]]:
    """For every row the span of its page and its place among the page's values, which leave nulls out."""
    spans: list[Span | None] = []
    places: list[int] = []
    for group in groups:
        valid = has_audio[len(spans) : len(spans) + group.n_rows]
        for row, there in enumerate(valid):
            page = group.page_of(row)
            spans.append(Span(name, size, page.start, page.end) if there else None)
            places.append(sum(valid[page.first_row : row]))
    return spans, places


def _matrix(lists: pa.FixedSizeListArray, kind: type) -> np.ndarray:
    return lists.flatten().to_numpy(zero_copy_only=False).astype(kind).reshape(len(lists), lists.type.list_size)
