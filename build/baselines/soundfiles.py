"""Stages that lay out sound for training as files: variants of excerpts, windows of whole tracks.

The files are 32-bit float WAV, mono: a variant may exceed full scale, which integers would clip.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy.io.wavfile
import soundfile

from build.baselines.augment import N_VARIANTS, ORIGINAL, augment, generator, variants
from build.baselines.sounds import Group, Samples, sounds
from build.baselines.stage import Job, Stage, run_stage
from build.files import whole_file

FILES = pa.schema(
    [
        pa.field("song_id", pa.string(), nullable=False),
        pa.field("number", pa.int16(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("semitones", pa.float64(), nullable=False),
        pa.field("gain_db", pa.float64(), nullable=False),
        pa.field("noise", pa.float64(), nullable=False),
    ]
)
Paths = dict[str, list[Path]]  # song -> its files, in the order of their numbers


def variant_stage(rate_hz: int, seed: int, count: int = N_VARIANTS) -> Stage:
    """The sound of every song as it is (number 0) and in `count` variants."""
    return Stage("variants", _variants, {"version": 1, "rate_hz": rate_hz, "seed": seed, "count": count})


def window_stage(rate_hz: int, window: int, count: int) -> Stage:
    """`count` windows of `window` samples of every track, evenly from its beginning to its end."""
    return Stage("windows", _windows, {"version": 1, "rate_hz": rate_hz, "window": window, "count": count})


def lay_out(stage: Stage, groups: Sequence[Group], cache: Path, workers: int, dask: str | None = None) -> Paths:
    """Run one of the stages of this module, and return its files by song."""
    table = run_stage(stage, groups, cache, workers, dask).sort_by([("song_id", "ascending"), ("number", "ascending")])
    paths: Paths = {}
    for row in table.select(["song_id", "path"]).to_pylist():
        paths.setdefault(row["song_id"], []).append(cache / stage.name / row["path"])
    return paths


def windows(samples: Samples, window: int, count: int) -> list[Samples]:
    """`count` windows of `window` samples, evenly from the first to the last; of a shorter sound, the sound itself."""
    if len(samples) <= window:
        return [samples]
    starts = np.linspace(0, len(samples) - window, count).round().astype(int)
    return [samples[start : start + window] for start in dict.fromkeys(starts.tolist())]


def _variants(job: Job) -> pa.Table:
    rate_hz, seed, count = (job.settings[name] for name in ("rate_hz", "seed", "count"))
    rows = []
    for sound in sounds(job.group, rate_hz):
        for number, variant in enumerate([ORIGINAL, *variants(sound.song_id, seed, count)]):
            changed = augment(sound.samples, rate_hz, variant, generator(sound.song_id, seed + 1, number))
            rows.append(_kept(job, sound.song_id, number, changed) | variant._asdict())
    return pa.Table.from_pylist(rows, FILES)


def _windows(job: Job) -> pa.Table:
    rate_hz, window, count = (job.settings[name] for name in ("rate_hz", "window", "count"))
    rows = []
    for sound in sounds(job.group, rate_hz):
        for number, part in enumerate(windows(sound.samples, window, count)):
            rows.append(_kept(job, sound.song_id, number, part) | ORIGINAL._asdict())
    return pa.Table.from_pylist(rows, FILES)


def _kept(job: Job, song_id: str, number: int, samples: Samples) -> dict[str, object]:
    path = job.folder / f"{song_id}.{number:02d}.wav"
    with whole_file(path) as partial:
        scipy.io.wavfile.write(partial, job.settings["rate_hz"], samples)  # soundfile would put the time into the file
    return {"song_id": song_id, "number": number, "path": path.relative_to(job.result.parent).as_posix()}


def read_crop(path: Path, window: int, rng: np.random.Generator) -> Samples:
    """A window of `window` samples from a random place of a file; a shorter file as it is."""
    with soundfile.SoundFile(path) as file:
        file.seek(int(rng.integers(0, max(file.frames - window, 0) + 1)))
        return file.read(window, dtype="float32")


def read_whole(path: Path) -> Samples:
    """All samples of a file."""
    return soundfile.read(path, dtype="float32")[0]
