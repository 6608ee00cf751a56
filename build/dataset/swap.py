"""A built folder takes its place whole or not at all, and what a crash left half done is mended at the next start.

A build writes into `.NAME.new` beside the folder NAME. Two renames put it there: NAME -> `.NAME.old`, `.NAME.new` ->
NAME. Between the two, NAME is missing and `.NAME.new` is complete: that is how `mend` knows what to finish.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from build.errors import InputError

MARK = "MANIFEST.json"  # written last and deleted first: a folder that holds it is complete


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """Yield a new empty folder, which takes the place of `out` once the block has ended well, and is gone otherwise.

    Where `out` is a link, the folder that it leads to is replaced. Raises InputError where that is something else than
    a built folder, which a build would delete.
    """
    out = out.resolve()
    new = staging(out)
    try:
        yield new
        put_in_place(out)
    except BaseException:
        mend(out)
        raise


def staging(out: Path) -> Path:
    """A new empty folder beside `out` to build in; raises InputError as `require_replaceable` does."""
    mend(out)
    require_replaceable(out)
    new = _beside(out, "new")
    new.mkdir(parents=True)
    return new


def require_replaceable(out: Path) -> None:
    """Raise InputError where `out` is something else than a built folder or an empty one, or holds another one."""
    if out.exists() and not (out / MARK).is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError(f"{out}: exists and is not a built dataset (it has no {MARK}); name another folder with --out")
    if nested := next(out.glob(f"*/**/{MARK}"), None):
        raise InputError(f"{nested.parent}: a dataset inside of {out}, which a build would delete; move it away")


def put_in_place(out: Path) -> None:
    """Replace `out` by what was built in its staging folder."""
    new, old = _beside(out, "new"), _beside(out, "old")
    _sync(new, *new.rglob("*"))
    if out.exists():
        out.rename(old)
    new.rename(out)
    _sync(out.parent)
    _delete(old)


def mend(out: Path) -> None:
    """Finish or undo a swap that was interrupted, and remove what an interrupted build left behind."""
    out = out.resolve()
    new, old = _beside(out, "new"), _beside(out, "old")
    if not out.exists() and old.exists():
        complete = [folder for folder in (new, old) if (folder / MARK).is_file()]
        if complete:
            complete[0].rename(out)
    for left in (new, old):
        _delete(left)


def _beside(out: Path, state: str) -> Path:
    return out.parent / f".{out.name}.{state}"


def _delete(folder: Path) -> None:
    """Delete a folder, the mark first: what a crash leaves of it is then not taken for a whole one."""
    if folder.exists():
        (folder / MARK).unlink(missing_ok=True)
        shutil.rmtree(folder)


def _sync(*paths: Path) -> None:
    """Have the operating system write files, and the names in folders, to disk."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
