"""One run a work folder: the second one refuses and names the first."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from build.errors import RunError

LOCK, PID = "fetch.lock", "fetch.pid"
PATIENCE_S = 1.0  # of two runs started at once, the first needs a moment to write down who it is


@contextmanager
def only_run(root: Path) -> Iterator[None]:
    """Hold the work folder `root` inside the block. Raises RunError, naming the process that holds it already.

    The operating system lets go of the lock when its process dies, however it dies: what a killed run leaves is only
    a file, and the next run takes it over.
    """
    lock = FileLock(root / LOCK)
    try:
        root.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=PATIENCE_S)
    except Timeout:
        raise RunError(
            f"process {_written_pid(root)} is fetching into {root} already: let it end, or give this one another --work"
        ) from None
    except OSError as error:
        raise RunError(f"{root} cannot be written ({error}): give another --work") from error
    try:
        (root / PID).write_text(f"{os.getpid()}\n")
        yield
    finally:
        (root / PID).unlink(missing_ok=True)
        lock.release()


def holder(root: Path) -> int | None:
    """The process that fetches into `root` now; None where none does, whatever a dead one left behind."""
    if not (root / LOCK).exists():
        return None
    try:
        with FileLock(root / LOCK).acquire(timeout=0):
            return None
    except Timeout:
        return _written_pid(root)


def _written_pid(root: Path) -> int | None:
    try:
        return int((root / PID).read_text())
    except (OSError, ValueError):
        return None
