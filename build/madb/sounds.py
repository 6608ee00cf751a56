"""The tracks' sound files: found by id or by name, and looked into before they are taken."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import soundfile

from build.errors import InputError
from build.files import sha256_of

SUFFIXES = (".mp3", ".wav", ".flac", ".ogg")


class Sounds(NamedTuple):
    """Track id -> its file; files that are no readable sound, with the reason; files that belong to no track."""

    files: dict[int, Path]
    unreadable: dict[Path, str]
    unknown: list[Path]


def find_sounds(root: Path, tracks: pa.Table) -> Sounds:
    """The sound files anywhere below `root`, called by a track's id (`1202.mp3`) or by its name in the list.

    Raises InputError where two files could be the same track's.
    """
    by_name = dict(zip(tracks["name"].to_pylist(), tracks["id"].to_pylist(), strict=True))
    by_id = {str(track): track for track in tracks["id"].to_pylist()}
    sounds = Sounds({}, {}, [])
    for path in _sound_files(root):
        track = by_id.get(path.stem, by_name.get(path.name))
        if track is None:
            sounds.unknown.append(path)
        elif problem := _problem(path):
            sounds.unreadable[path] = problem
        elif track in sounds.files:
            raise InputError(f"{path}: {sounds.files[track]} is the sound of track {track} too; keep one of them")
        else:
            sounds.files[track] = path
    return sounds


def add_sounds(tracks: pa.Table, files: dict[int, Path]) -> pa.Table:
    """`tracks` with the columns `file` (path), `bytes` (its size) and `audio_sha256`, null where there is no file."""
    paths = [files.get(track) for track in tracks["id"].to_pylist()]
    columns = {
        "file": pa.array([str(path) if path else None for path in paths], pa.string()),
        "bytes": pa.array([path.stat().st_size if path else None for path in paths], pa.int64()),
        "audio_sha256": pa.array([sha256_of(path) if path else None for path in paths], pa.string()),
    }
    for name, column in columns.items():
        tracks = tracks.append_column(name, column)
    return tracks


def _sound_files(root: Path) -> Iterator[Path]:
    yield from sorted(path for path in root.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())


def _problem(path: Path) -> str | None:
    """Why a file is no sound, by its header and first samples; None where it is."""
    try:
        with soundfile.SoundFile(path) as sound:
            return None if len(sound.read(frames=1024)) else "it holds no samples"
    except soundfile.SoundFileError as error:
        return str(error)
