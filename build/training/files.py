"""Reading a built folder wherever it lies: on disk, on the Hub or behind any other address that fsspec knows.

Every read is one range of bytes, with no read-ahead: what is read is what was asked for.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import fsspec
from fsspec.implementations.local import LocalFileSystem

REQUESTS = 16  # at a time, for each process; what an HTTP server and a home connection bear


class Span(NamedTuple):
    """Bytes `start` to `end` of the file `name`, below the root, which has `size` bytes in all."""

    name: str
    size: int
    start: int
    end: int


class Files:
    """The files below `root`, a folder or an address such as hf://datasets/ORG/NAME@REVISION."""

    def __init__(self, root: str) -> None:
        self.system, self.root = fsspec.core.url_to_fs(root)
        self.remote = not isinstance(self.system, LocalFileSystem)

    def read(self, span: Span) -> bytes:
        """The bytes of `span`, fewer where the file ends before."""
        path = f"{self.root}/{span.name}"
        with self.system.open(path, "rb", cache_type="none", size=span.size) as file:
            file.seek(span.start)
            return file.read(span.end - span.start)

    def read_whole(self, name: str) -> bytes:
        """All of a file."""
        return self.system.cat_file(f"{self.root}/{name}")

    def read_each(self, spans: Iterable[Span]) -> Iterator[bytes]:
        """The bytes of every span in turn; several spans at a time where that hides a network's latency."""
        if self.remote:
            return _read_ahead(self.read, spans)
        return map(self.read, spans)


def _read_ahead(read: Callable[[Span], bytes], spans: Iterable[Span]) -> Iterator[bytes]:
    pending: deque[Future[bytes]] = deque()
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
