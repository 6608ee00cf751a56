"""A built folder takes its place whole or not at all, and what a crash left half done is mended at the next start.

A build writes into `.NAME.new` beside the folder NAME. Two renames put it there: NAME -> `.NAME.old`, `.NAME.new` ->
NAME. Between the two, NAME is missing and `.NAME.new` is complete: that is how `mend` knows what to finish.
"""

import os
import shutil
from pathlib import Path

from build.errors import InputError

MARK = "MANIFEST.json"  # written last: a folder that holds it is complete


def staging(out: Path) -> Path:
    """A new empty folder beside `out` to build in.

    Raises InputError where `out` is something else than a built folder, which a build would delete.
    """
    mend(out)
    if out.exists() and not (out / MARK).is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError(f"{out}: exists and is not a built dataset (it has no {MARK}); name another folder with --out")
    new = _beside(out, "new")
    new.mkdir(parents=True)
    return new


def put_in_place(out: Path) -> None:
    """Replace `out` by what was built in its staging folder."""
    new, old = _beside(out, "new"), _beside(out, "old")
    _sync(new)
    if out.exists():
        out.rename(old)
    new.rename(out)
    _sync(out.parent)
    shutil.rmtree(old, ignore_errors=True)


def mend(out: Path) -> None:
    """Finish or undo a swap that was interrupted, and remove what an interrupted build left behind."""
    new, old = _beside(out, "new"), _beside(out, "old")
    if not out.exists() and old.exists():
        (new if (new / MARK).is_file() else old).rename(out)
    for left in (new, old):
        if left.exists():
            shutil.rmtree(left)


def _beside(out: Path, state: str) -> Path:
    return out.parent / f".{out.name}.{state}"


def _sync(folder: Path) -> None:
    """Have the operating system write a folder's files and names to disk."""
    for path in [folder, *folder.rglob("*")]:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
