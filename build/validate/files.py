"""Files of a built folder against its manifest, and their types against the published ones."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features

from build.dataset.schema import arrow_schema
from build.dataset.swap import MARK
from build.errors import InputError
from build.files import sha256_of
from build.validate.card import README
from build.validate.contents import check_contents, text_columns
from globalmood import FEATURES, FILES

Published = Mapping[str, tuple[Features, tuple[str, ...]]]  # config -> its columns, and globs of its files
CONFIG_OF_FILES = ("all", "songs", "ratings", "terms", "lexicon", "chains", "participants")  # the others share theirs
PUBLISHED: Published = {config: (FEATURES[config], tuple(FILES[config].values())) for config in CONFIG_OF_FILES}


@dataclass
class Findings:
    """What is wrong, a sentence each that names the file; `readable` are the Parquet files that can be looked into."""

    missing: list[str] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    readable: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.missing or self.invalid or self.extra)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of `folder`; raises InputError where there is none that can be used."""
    path = folder / MARK
    if not path.is_file():
        raise InputError(f"{folder}: no built dataset, it has no {MARK}; `python -m build run` makes one")
    return parse_manifest(path)


def parse_manifest(path: Path) -> dict[str, Any]:
    """The manifest in the file `path`; raises InputError where that is none, or lists files outside its folder."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        files, _ = manifest["files"].items(), manifest["audio"].items()
        sound = all(isinstance(entry["sha256"], str) and isinstance(entry["bytes"], int) for _, entry in files)
        manifest.get("options", {}).get("limit")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read as a manifest: {type(error).__name__}: {error}") from error
    escaping = [name for name in manifest["files"] if _leaves_folder(name)]
    if escaping or not sound:
        raise InputError(f"{path}: lists files outside the folder or without hash and size: {escaping}")
    return manifest


def check_files(folder: Path, manifest: dict[str, Any], published: Published = PUBLISHED) -> Findings:
    """Compare every file with its entry, and every Parquet file with the published types and the viewer's limits."""
    findings = Findings()
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    findings.missing = [f"{name}: not there" for name in sorted(set(manifest["files"]) - there)]
    findings.extra = [f"{name}: not in {MARK}" for name in sorted(there - set(manifest["files"]) - {MARK})]
    for name in sorted(there & set(manifest["files"])):
        entry, path = manifest["files"][name], folder / name
        try:
            digest = sha256_of(path)
        except OSError as error:
            findings.invalid.append(f"{name}: cannot be read: {error}")
            continue
        if digest != entry["sha256"]:
            findings.invalid.append(f"{name}: its SHA-256 is {digest}, {MARK} has {entry['sha256']}")
        if path.suffix == ".py":
            findings.invalid.append(f"{name}: a script, which `datasets` 3 could be told to run; a dataset holds none")
        if path.suffix == ".parquet":
            problems = list(_check_parquet(path, name, published))
            findings.invalid += problems
            if not problems:
                findings.readable.append(name)
                findings.invalid += _check_rows(path, name, entry)
    return findings


def unlisted(manifest: dict[str, Any], files: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """What the manifest of a dataset has to list and does not, a sentence each; `files`: config -> split -> glob."""
    for pattern in sorted({README, *(glob for globs in files.values() for glob in globs.values())}):
        if not any(fnmatch(name, pattern) for name in manifest["files"]):
            yield f"{pattern}: {MARK} lists no such file"


def all_of(start: str, listed: Iterable[str], readable: Collection[str]) -> list[str] | None:
    """The Parquet files of a manifest whose names begin with `start`; None where it lists one that cannot be read.

    What such a file would say is not known then, and other files cannot be blamed for saying something else.
    """
    names = [name for name in listed if name.startswith(start) and name.endswith(".parquet")]
    return names if set(names) <= set(readable) else None


def _leaves_folder(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or "\\" in name or not name.isprintable()


def _check_rows(path: Path, name: str, entry: dict[str, Any]) -> Iterator[str]:
    rows = pq.read_metadata(path).num_rows
    if rows != entry.get("rows"):
        yield f"{name}: has {rows} rows, {MARK} has {entry.get('rows')}"


def _check_parquet(path: Path, name: str, published: Published) -> Iterator[str]:
    config = next((config for config, (_, globs) in published.items() if _belongs(name, globs)), None)
    if config is None:
        yield f"{name}: belongs to no config"
        return
    try:
        parquet = pq.ParquetFile(path)
        found, wanted = parquet.schema_arrow, arrow_schema(published[config][0])
        if not found.equals(wanted) or found.metadata != wanted.metadata:
            yield f"{name}: its columns are not those of config {config!r}"
            return
        with pq.ParquetFile(path, read_dictionary=text_columns(parquet)) as whole:
            yield from (f"{name}: {problem}" for problem in check_contents(whole, config))
    except (pa.ArrowException, OSError, ValueError) as error:  # ValueError: names that are no text
        yield f"{name}: cannot be read: {error}"


def _belongs(name: str, globs: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in globs)
