"""Reading a built folder wherever it lies: on disk, on the Hub or behind any other address that fsspec knows.

Every read is one range of bytes, with no read-ahead: what is read is what was asked for. On disk it is a view into the
mapped file, and no copy; a file stays mapped, since to map it anew costs more than to copy what is read.
"""

import mmap
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import NamedTuple

import fsspec
from fsspec.implementations.local import LocalFileSystem

REQUESTS = 16  # at a time, for each process; what an HTTP server and a home connection bear
MAPPED_FILES = 64  # at a time, each of which takes a file descriptor


class Span(NamedTuple):
    """Bytes `start` to `end` of the file `name`, below the root, which has `size` bytes in all."""

    name: str
    size: int
    start: int
    end: int


class Files:
    """The files below `root`, a folder or an address such as hf://datasets/ORG/NAME@REVISION."""

    def __init__(self, root: str) -> None:
        self.address = root
        self.system, self.root = fsspec.core.url_to_fs(root)
        self.remote = not isinstance(self.system, LocalFileSystem)
        self._mapped = lru_cache(MAPPED_FILES)(_map)

    def __reduce__(self) -> tuple[type["Files"], tuple[str]]:
        """Another process opens them itself."""
        return Files, (self.address,)

    def here(self) -> "Files":
        """The same for the process that calls: a fork leaves mappings as they were, but no connection."""
        return Files(self.address) if self.remote else self

    def read(self, span: Span) -> bytes | memoryview:
        """The bytes of `span`, fewer where the file ends before."""
        path = f"{self.root}/{span.name}"
        if not self.remote:
            return self._mapped(path)[span.start : span.end]
        with self.system.open(path, "rb", cache_type="none", size=span.size) as file:
            file.seek(span.start)
            return file.read(span.end - span.start)

    def read_whole(self, name: str) -> bytes:
        """All of a file."""
        return self.system.cat_file(f"{self.root}/{name}")

    def read_each(self, spans: Iterable[Span]) -> Iterator[bytes | memoryview]:
        """The bytes of every span in turn; several spans at a time where that hides a network's latency."""
        if self.remote:
            return _read_ahead(self.read, spans)
        return map(self.read, spans)


def _map(path: str) -> memoryview:
    with open(path, "rb") as file:
        empty = not os.fstat(file.fileno()).st_size
        return memoryview(b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _read_ahead(read: Callable[[Span], bytes | memoryview], spans: Iterable[Span]) -> Iterator[bytes | memoryview]:
    pending: deque[Future[bytes | memoryview]] = deque()
    pool = ThreadPoolExecutor(REQUESTS)
    try:
        for span in spans:
            pending.append(pool.submit(read, span))
            if len(pending) > REQUESTS:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
