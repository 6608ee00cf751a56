"""Songs: ids, splits and folds, every audio payload decoded to its end, and the small files that repeat the rest."""

import hashlib
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import soundfile

from build import split
from build.validate.files import all_of
from globalmood import EXCERPT_S, RATE_HZ, SONG, SPLITS

PLACE = ["song_id", "country", "artist", "fold"]
SOUND = ["song_id", "status", "audio_sha256", "audio"]
SAMPLES = int(EXCERPT_S * RATE_HZ)
CHANNELS = 2


def check_songs(folder: Path, files: list[str], manifest: dict[str, Any]) -> list[str]:
    """What is wrong with the rows of the song shards, and of config `songs`, among `files`, a sentence each."""
    shards = [name for name in files if name.startswith("data/")]
    are_all = all_of("data/", manifest["files"], files) is not None
    return [
        *_check_places(folder, shards, manifest, are_all),
        *_check_sounds(folder, shards, manifest, are_all),
        *_check_copies(folder, files, manifest),
    ]


def split_of(name: str) -> str:
    """The split that a file of a built folder belongs to, by its name."""
    return next(part for part in SPLITS if f"/{part}-" in name or f"-{part}-" in name)


def _check_places(folder: Path, shards: list[str], manifest: dict[str, Any], are_all: bool) -> Iterator[str]:
    places: dict[str, tuple[str, int | None]] = {}
    tables = []
    for name in shards:
        table = pq.read_table(folder / name, columns=PLACE)
        tables.append(table)
        for row in table.to_pylist():
            song_id, part, fold = row["song_id"], split_of(name), row["fold"]
            if song_id in places:
                yield f"{name}: song {song_id} is also in {places[song_id][0]}; every song stands once"
            if (part == "test") != (fold is None) or (fold is not None and fold not in range(split.N_FOLDS)):
                yield f"{name}: song {song_id} has fold {fold}; null in test, 0 to {split.N_FOLDS - 1} in train"
            places[song_id] = (part, fold)
    if tables and are_all and manifest.get("options", {}).get("limit") is None:
        yield from _check_rule(pa.concat_tables(tables), places)


def _check_rule(songs: pa.Table, places: dict[str, tuple[str, int | None]]) -> Iterator[str]:
    """Whether songs are where the published rule puts them, which needs all songs of the list."""
    wanted = {row["song_id"]: (row["split"], row["fold"]) for row in split.assign(songs).to_pylist()}
    moved = [song_id for song_id, place in places.items() if place != wanted[song_id]]
    if moved:
        yield f"data/: {len(moved)} songs are not in the split and fold that the rule gives them, among them {moved[0]}"


def _check_sounds(folder: Path, shards: list[str], manifest: dict[str, Any], are_all: bool) -> Iterator[str]:
    digests, heard = manifest["audio"], Counter[str]()
    withheld = manifest.get("audio_withheld", False)
    told, problem_of = ("audio_sha256", _problem_withheld) if withheld else ("audio", _problem)
    for name in shards:
        try:
            for group in pq.ParquetFile(folder / name).iter_batches(batch_size=1, columns=SOUND):
                for row in group.to_pylist():
                    heard[row["song_id"]] += row[told] is not None
                    problem = problem_of(row, digests.get(row["song_id"]))
                    if problem:
                        yield f"{name}: song {row['song_id']}: {problem}"
        except (pa.ArrowException, OSError, ValueError) as error:  # ValueError: names that are no text
            are_all = False
            yield f"{name}: cannot be read: {error}"
    silent = sorted(set(digests) - set(+heard))
    if silent and are_all:
        yield f"data/: {len(silent)} songs of the manifest have no {told}, among them {silent[0]}"


def _problem_withheld(row: dict[str, Any], recorded: str | None) -> str | None:
    """What is wrong with a row whose sound was left out on purpose (`build.hub.withhold`), or None."""
    if row["audio"] is not None:
        return "it has audio, and the manifest says that audio is withheld"
    if (row["audio_sha256"] is None) != (row["status"] != "ok"):
        return f"status {row['status']!r} and audio_sha256 {row['audio_sha256']}"
    if row["audio_sha256"] != recorded:
        return f"the row has the payload's SHA-256 {row['audio_sha256']}, the manifest {recorded}"
    return None


def _problem(row: dict[str, Any], recorded: str | None) -> str | None:
    """What is wrong with the audio of a row, or None."""
    if (row["audio"] is None) != (row["status"] != "ok"):
        return f"status {row['status']!r} and audio {'null' if row['audio'] is None else 'there'}"
    if row["audio"] is None:
        return None
    payload = row["audio"]["bytes"]
    if problem := problem_of_place(row["audio"], row["song_id"]):
        return problem
    digest = hashlib.sha256(payload).hexdigest()
    if not digest == row["audio_sha256"] == recorded:
        return f"its payload has the SHA-256 {digest}, the row has {row['audio_sha256']}, the manifest {recorded}"
    try:
        with soundfile.SoundFile(io.BytesIO(payload)) as file:
            if (file.frames, file.channels, file.samplerate) != (SAMPLES, CHANNELS, RATE_HZ):  # before room is made
                got = f"{file.frames} samples of {file.channels} channels at {file.samplerate} Hz"
                return f"it is {got}; wanted {SAMPLES} of {CHANNELS} at {RATE_HZ}"
            sound = file.read(dtype="float32", always_2d=True)
    except soundfile.SoundFileError as error:
        return f"its payload does not decode: {error}"
    if len(sound) != SAMPLES:
        return f"its payload ends after {len(sound)} of {SAMPLES} samples"
    return None if np.isfinite(sound).all() else "it holds samples that are not numbers"


def problem_of_place(audio: dict[str, Any], name: str) -> str | None:
    """What is wrong with an audio cell that is not the bytes themselves under a name of its own row, or None."""
    payload, path = audio["bytes"], audio["path"]
    if payload is None or path is None or Path(path).stem != name or Path(path).name != path:
        return f"its audio is to be read from {path!r}; wanted the bytes themselves, under the name {name}"
    return None


def _check_copies(folder: Path, files: list[str], manifest: dict[str, Any]) -> Iterator[str]:
    """Whether the files of config `songs` say of every song what its shard says, where all of them can be read."""
    for part in SPLITS:
        told, copied = (
            [f for f in manifest["files"] if f.startswith(f"{place}/{part}-")] for place in ("data", "songs")
        )
        if told and copied and {*told, *copied} <= set(files) and _songs(folder, told) != _songs(folder, copied):
            yield f"songs/: the songs of {part} are not what data/ says of them"


def _songs(folder: Path, files: list[str]) -> pa.Table:
    """Their rows by song, as Arrow compares them: there are dates in files that Python has none for."""
    parts = [pq.read_table(folder / name, columns=list(SONG)) for name in files]
    return pa.concat_tables(parts).sort_by("song_id")
