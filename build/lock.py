"""One process at a time on a folder: the second one refuses and names the first.

The operating system lets go of a lock when its process dies, however it dies: what a killed run leaves is only a file,
and the next run takes it over.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from build.errors import RunError

PATIENCE_S = 1.0  # of two runs started at once, the first needs a moment to write down who it is


def work_folder(root: Path) -> AbstractContextManager[None]:
    """Hold a work folder for a build. Raises RunError, naming the process that holds it already."""
    return only_one(root / "build.lock", f"builds in {root}", "--work")


def built_folder(out: Path) -> AbstractContextManager[None]:
    """Hold the place of a built folder, by a file beside it. Raises RunError, naming the process that holds it."""
    out = out.resolve()
    return only_one(out.parent / f".{out.name}.lock", f"builds {out}", "--out")


@contextmanager
def only_one(lock: Path, does: str, option: str) -> Iterator[None]:
    """Hold the file `lock` inside the block; beside it stands the number of the process that does.

    Raises RunError, saying which process `does` so already and which `option` leads elsewhere.
    """
    held = FileLock(lock)
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        held.acquire(timeout=PATIENCE_S)
    except Timeout:
        holder = _written_pid(lock) or "(which has not said its number)"
        raise RunError(f"process {holder} {does} already: let it end, or give this one another {option}") from None
    except OSError as error:
        raise RunError(f"{lock.parent} cannot be written ({error.strerror}): give another {option}") from error
    try:
        _pid(lock).write_text(f"{os.getpid()}\n")
        yield
    finally:
        _pid(lock).unlink(missing_ok=True)
        held.release()


def holder(lock: Path) -> int | None:
    """The process that holds the file `lock` now; None where none does, whatever a dead one left behind."""
    if not lock.exists():
        return None
    try:
        with FileLock(lock).acquire(timeout=0):
            return None
    except Timeout:
        return _written_pid(lock)


def _pid(lock: Path) -> Path:
    return lock.with_suffix(".pid")


def _written_pid(lock: Path) -> int | None:
    try:
        return int(_pid(lock).read_text())
    except (OSError, ValueError):
        return None
