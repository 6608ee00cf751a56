"""MANIFEST.json: what a built folder consists of and what it was made from; nothing that differs between machines.

`files` has the SHA-256, size and number of rows of every other file; `audio` the SHA-256 of every song's payload, which
stays the same however the rows are sharded; `inputs` those of the source files; `options`, `packages` what made it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow.parquet as pq

from build.dataset.swap import MARK
from build.files import sha256_of, write_bytes

Files = Mapping[str, Mapping[str, Any]]  # path below a built folder -> its sha256, bytes and (of Parquet files) rows
PACKAGES = ("av", "datasets", "numpy", "pandas", "pyarrow", "pyloudnorm", "scipy", "soundfile", "soxr")


def describe_files(folder: Path, known: Files = MappingProxyType({})) -> dict[str, Any]:
    """Path below `folder` -> sha256, bytes and (of Parquet files) rows, by path; without MANIFEST.json.

    Files in `known` are described as there, and need not be in the folder.
    """
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    described = {name: describe_file(folder / name) for name in names - {MARK, *known}}
    return dict(sorted({**known, **described}.items()))


def content_digest(files: Files, names: Iterable[str]) -> str:
    """A digest of those of `files` (see `describe_files`) that are in `names`.

    `datasets` caches by the card: a card that holds the digest is never answered stale.
    """
    content = {name: files[name]["sha256"] for name in names}
    return "sha256:" + hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def write_manifest(
    folder: Path, payloads: Iterable[tuple[object, str | None]], facts: dict[str, Any], files: Files
) -> None:
    """Write the manifest of `folder`: the last thing that is done in it.

    `payloads` are ids and the SHA-256 of their sound, None where there is none; `facts` (version, source, options,
    inputs) are told as given, with the packages that are installed unless they say which ones made the dataset;
    `files` are all other files, as `describe_files` gives them, none of which is looked at.
    """
    manifest = {
        **facts,
        "packages": facts.get("packages") or {name: version(name) for name in PACKAGES},
        "files": dict(sorted(files.items())),
        "audio": {str(name): digest for name, digest in sorted(payloads) if digest},
    }
    write_bytes(folder / MARK, (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode())


def describe_file(path: Path) -> dict[str, Any]:
    """Its sha256, bytes and (of a Parquet file) rows."""
    described: dict[str, Any] = {"sha256": sha256_of(path), "bytes": path.stat().st_size}
    if path.suffix == ".parquet":
        described["rows"] = pq.read_metadata(path).num_rows
    return described
