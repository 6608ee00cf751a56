"""One fetching run a work folder: the second one refuses and names the first."""

from contextlib import AbstractContextManager
from pathlib import Path

from build import lock

LOCK = "fetch.lock"


def only_run(root: Path) -> AbstractContextManager[None]:
    """Hold the work folder `root` for fetching. Raises RunError, naming the process that holds it already."""
    return lock.only_one(root / LOCK, f"is fetching into {root}", "--work")


def holder(root: Path) -> int | None:
    """The process that fetches into `root` now; None where none does, whatever a dead one left behind."""
    return lock.holder(root / LOCK)
