"""Files that appear whole or not at all, and the hashes that say whether they still are what they were."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from build import storage
from build.errors import InputError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path in the folder of `path` that takes its name, synced to disk, once the block has ended well.

    On an object store (`build.storage`) it is copied there.
    """
    if storage.is_remote(path):
        with TemporaryDirectory() as folder:
            yield Path(folder) / path.name
            storage.put(Path(folder) / path.name, path)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part" + path.suffix)
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        partial.chmod(0o666 & ~_umask())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_bytes(path: Path, payload: bytes) -> None:
    """Write `payload` to `path`, whole or not at all."""
    with whole_file(path) as partial:
        partial.write_bytes(payload)


def write_table(path: Path, table: pa.Table) -> None:
    """Write an intermediate table as Parquet, whole or not at all."""
    with whole_file(path) as partial:
        pq.write_table(table, partial, compression="zstd", write_page_checksum=True)


def read_table(path: Path, verb: str) -> pa.Table:
    """Read an intermediate table. Raises InputError, naming the `verb` that makes it, where it is absent or damaged."""
    if not path.is_file():
        raise InputError(f"{path} is not there: run `python -m build {verb}` first, or give another --work")
    try:
        with storage.at_hand(path) as local:
            return pq.read_table(local, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is damaged ({error}): run `python -m build {verb}` again") from error


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's content, as 64 hex digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
