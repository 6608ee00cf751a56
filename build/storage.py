"""Files at an address: on this machine, or on an object store that fsspec knows (`s3://bucket/folder`).

Where a function takes a path it takes either. That of a store is universal-pathlib's `UPath`, which has the methods of
`pathlib.Path`. Where a store is and how to log in there is said in fsspec's own way (for S3: `AWS_ENDPOINT_URL` and
the other variables of Amazon's tools).
"""

import errno
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from build.errors import InputError, RunError

REQUIREMENTS = "requirements-dask.txt"
NUMBERS = {FileNotFoundError: errno.ENOENT, PermissionError: errno.EACCES}  # of errors that stores raise without one
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://.+", re.IGNORECASE)


def at(address: str | Path) -> Path:
    """The path at an address. Raises InputError where the packages that its scheme needs are not installed."""
    if isinstance(address, Path) or not _ADDRESS.fullmatch(str(address)):
        return Path(address) if isinstance(address, str) else address
    try:
        from upath import UPath

        path = UPath(address, use_listings_cache=False)
        path.fs  # noqa: B018 - loads the package of the scheme
    except (ImportError, ValueError) as error:
        raise InputError(f"{address}: {error}; python -m pip install -r {REQUIREMENTS}") from error
    return cast(Path, path)


def here(address: str | Path) -> Path:
    """The path at an address on this machine; raises InputError for one of a store."""
    if is_remote(address):
        raise InputError(f"{address}: a folder of this machine is wanted here, and no address of a store")
    return Path(address)


def is_remote(path: str | Path) -> bool:
    """Whether a path or address is one of an object store."""
    return _ADDRESS.fullmatch(str(path)) is not None


def short_name(path: Path) -> str:
    """12 hexadecimal digits that stand for an address in names of files here."""
    return hashlib.sha256(str(path).encode()).hexdigest()[:12]


@contextmanager
def at_hand(path: Path) -> Iterator[Path]:
    """A file of this machine with the content of `path`: itself, or a copy that is gone after the block.

    Raises FileNotFoundError, and RunError where the store does not answer.
    """
    if not is_remote(path):
        yield path
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        with _answering(path):
            _filesystem(path).get_file(_key(path), str(copy))
        yield copy


def put(local: Path, path: Path) -> None:
    """Copy a file of this machine to a store, where it appears whole or not at all. Raises RunError where it cannot."""
    with _answering(path):
        _filesystem(path).put_file(str(local), _key(path))


def move(local: Path, path: Path) -> Path:
    """Move a file of this machine to `path`, where it appears whole or not at all, and return `path`."""
    if not is_remote(path):
        return local.replace(path)
    put(local, path)
    local.unlink()
    return path


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises OSError, and RunError where the store does not answer."""
    with _answering(path):
        return path.read_bytes()


def size_of(path: Path) -> int | None:
    """Bytes of a file, None where there is none."""
    try:
        with _answering(path):
            return path.stat().st_size
    except FileNotFoundError:
        return None


def names_below(folder: Path) -> list[str]:
    """Paths, below a folder of a store, of all files in it."""
    with _answering(folder):
        start = len(_key(folder)) + 1
        return sorted(name[start:] for name in _filesystem(folder).find(_key(folder)))


def delete(path: Path) -> None:
    """Delete a file of a store."""
    with _answering(path):
        _filesystem(path).rm_file(_key(path))


@contextmanager
def folder_at_hand(folder: Path) -> Iterator[Path]:
    """A folder of this machine with all files of `folder`: itself, or a copy that is gone after the block."""
    if not is_remote(folder):
        yield folder
        return
    with TemporaryDirectory() as scratch:
        yield copied_in(folder, Path(scratch) / "copy")


def copied_in(folder: Path, copy: Path) -> Path:
    """A copy on this machine of all files of a folder of a store, as the store has them now; returns `copy`.

    A file whose checksum at the store is the one that it had when it was copied is not read again. Raises InputError
    for a folder that holds nothing, or a name that leads out of it, RunError for a copy that is not as long as it
    should be.
    """
    names = names_below(folder)
    if not names:
        raise InputError(f"{folder}: there is nothing; it should be a folder with the files of a source")
    if strays := [name for name in names if ".." in Path(name).parts or name.startswith("/")]:
        raise InputError(f"{folder}: the name {strays[0]!r} leads out of the folder; rename it there")
    record = copy.with_suffix(".json")
    known = json.loads(record.read_text()) if record.is_file() else {}
    record.unlink(missing_ok=True)  # until the copies are what it says
    found = {name: _copied(folder / name, copy / name, known.get(name)) for name in names}
    for path in [path for path in copy.rglob("*") if path.is_file()]:
        if path.relative_to(copy).as_posix() not in found:
            path.unlink()
    record.write_text(json.dumps(found))
    return copy


def _copied(path: Path, copy: Path, known: str | None) -> str:
    """Copy a file unless its checksum is `known`, and return its checksum."""
    with _answering(path):
        filesystem, key = _filesystem(path), _key(path)
        checksum, size = str(filesystem.checksum(key)), filesystem.size(key)
        if checksum != known or not copy.is_file() or copy.stat().st_size != size:
            copy.parent.mkdir(parents=True, exist_ok=True)
            filesystem.get_file(key, str(copy))
    if copy.stat().st_size != size:
        raise RunError(f"{path}: {copy.stat().st_size} of {size} bytes came; run the same command again")
    return checksum


def _filesystem(path: Path) -> Any:  # fsspec has no types
    return path.fs  # type: ignore[attr-defined]


def _key(path: Path) -> str:
    """The path as the file system of the store writes it."""
    return str(path.path).rstrip("/")  # type: ignore[attr-defined]


@contextmanager
def _answering(path: Path) -> Iterator[None]:
    """Every store has errors of its own: what is no OSError is told as one of the run, and all say where."""
    try:
        yield
    except (InputError, RunError):
        raise
    except OSError as error:
        if error.filename:
            raise
        number = error.errno or NUMBERS.get(type(error), errno.EIO)
        raise OSError(number, str(error.strerror or error), str(path)) from error
    except Exception as error:
        raise RunError(f"{path}: the store does not do it: {type(error).__name__}: {error}") from error
