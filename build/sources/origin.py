"""The three kinds of source: the embedded sample, the authors' release, a folder on disk."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pooch

from build import storage, vocab
from build.errors import InputError, RunError
from build.files import sha256_of
from build.sample import write_sample
from build.workspace import Workspace

SUFFIXES = (".csv",)  # of the files that a manifest lists as input


@dataclass(frozen=True)
class Source:
    """A folder in the layout of the upstream release, and the name of its kind: sample, upstream or folder."""

    name: str
    root: Path

    def inputs(self) -> dict[str, str]:
        """Path below the folder -> SHA-256 of every table in it."""
        files = sorted(path for path in self.root.rglob("*") if path.suffix in SUFFIXES)
        return {path.relative_to(self.root).as_posix(): sha256_of(path) for path in files}


def open_source(name: str, workspace: Workspace, seed: int, workers: int) -> Source:
    """The source called `name`, made or downloaded where that is needed.

    Raises InputError for a folder that does not exist, RunError where the release cannot be downloaded.
    """
    if name == "sample":
        root = workspace.folder("sample") / f"seed-{seed}"
        write_sample(root, seed=seed, workers=workers)
        return Source("sample", root)
    if name == "upstream":
        return Source("upstream", download_release("globalmood", workspace.downloads / "globalmood"))
    if storage.is_remote(name):
        address = storage.at(name)
        copy = workspace.downloads / f"source-{storage.short_name(address)}"
        return Source("folder", storage.copied_in(address, copy))
    root = Path(name)
    if not root.is_dir():
        raise InputError(
            f"--source {name}: no such folder; it takes `sample`, `upstream`, a folder or the address of one"
        )
    return Source("folder", root)


def download_release(dataset: str, folder: Path) -> Path:
    """Download the files of `metadata/upstream.csv` into `folder`, each checked against its hash, and return `folder`.

    A file that is there with the right hash is not asked for again. Raises RunError naming what could not be had.
    """
    for file in vocab.upstream_files(dataset):
        path = folder / file.file
        if path.is_file() and _matches(path, file.hash):
            continue
        try:
            pooch.retrieve(file.url, known_hash=None, fname=path.name, path=path.parent, processor=_checked(file))
        except Exception as error:
            path.unlink(missing_ok=True)
            raise RunError(f"{file.file}: could not be had from {file.url}: {error}") from error
    return folder


def _checked(file: vocab.UpstreamFile) -> Callable[[str, str, pooch.Pooch | None], str]:
    def check(name: str, action: str, pup: pooch.Pooch | None) -> str:
        path = Path(name)
        if not _matches(path, file.hash):
            size = path.stat().st_size
            raise ValueError(f"what came ({size} bytes) has not the hash {file.hash} of metadata/upstream.csv")
        return name

    return check


def _matches(path: Path, wanted: str) -> bool:
    """Whether a file has the hash `sha256:HEX`, or `git:HEX`, the SHA-1 of git's blob header and the content."""
    kind, _, digest = wanted.partition(":")
    if kind == "sha256":
        return sha256_of(path) == digest
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest() == digest
