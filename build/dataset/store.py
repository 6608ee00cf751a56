"""A built folder on an object store, where nothing can be renamed: files are named by their content.

A build adds files beside those of the one that is there. README.md, which says what files the dataset consists of, and
MANIFEST.json are written last: that is the moment in which the new one takes the place of the old one, whose files are
then deleted. One build at a time an address: a store knows no locks.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from build import storage
from build.dataset.manifest import describe_file
from build.dataset.swap import MARK
from build.errors import InputError
from build.validate.files import read_manifest
from globalmood import FILES

CARD = "README.md"
DIGITS = 12  # of a file's SHA-256 in its name
FOLDERS = sorted({glob.split("/")[0] for globs in FILES.values() for glob in globs.values()})
# what a build may have put there, and so may delete: directly in its own folders, with both numbers of a shard
BY_CONTENT = re.compile(rf"({'|'.join(FOLDERS)})/[^/]+-\d{{5}}-of-\d{{5}}-[0-9a-f]{{{DIGITS}}}\.parquet", re.ASCII)


def named_by_content(name: str, sha256: str) -> str:
    """The name on a store of a file that is called `name` in a folder.

    >>> named_by_content("terms/train-00000-of-00001.parquet", "0123456789abcdef")
    'terms/train-00000-of-00001-0123456789ab.parquet'
    """
    path = PurePosixPath(name)
    return str(path.with_name(f"{path.stem}-{sha256[:DIGITS]}{path.suffix}"))


def write_file(folder: Path, name: str, write: Callable[[Path], None]) -> tuple[str, dict[str, Any]]:
    """Write a Parquet file of a dataset by `write`, below `folder`; its name there and its description.

    On a store it is named by its content, and one that is there already is not sent again.
    """
    if not storage.is_remote(folder):
        write(folder / name)
        return name, describe_file(folder / name)
    with TemporaryDirectory() as scratch:
        local = Path(scratch) / PurePosixPath(name).name
        write(local)
        described = describe_file(local)
        name = named_by_content(name, described["sha256"])
        if storage.size_of(folder / name) != described["bytes"]:
            storage.put(local, folder / name)
    return name, described


@contextmanager
def uploading(out: Path) -> Iterator[Path]:
    """Yield a folder of this machine whose files go to `out` once the block has ended well, card and manifest last.

    Files of earlier builds that the new manifest does not name are deleted then. Raises InputError as `require_ours`.
    """
    before = require_ours(out)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        yield folder
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        for name in [*sorted(names - {CARD, MARK}), CARD, MARK]:
            storage.put(folder / name, out / name)
        for name in sorted(before - set(read_manifest(folder)["files"])):
            storage.delete(out / name)


def require_ours(out: Path) -> set[str]:
    """The files at `out` that builds have made, by their names: none of a dataset in a folder below it.

    Raises InputError where there is a card of something else.
    """
    there = set(storage.names_below(out))
    ours = {name for name in there if BY_CONTENT.fullmatch(name)}
    if CARD in there and MARK not in there and not ours:
        raise InputError(f"{out}: holds a {CARD} and no built dataset (it has no {MARK}); name another with --out")
    return ours
