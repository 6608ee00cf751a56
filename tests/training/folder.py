"""A built folder in miniature: real shards of made-up songs, each of which can be told by its sound and its labels.

Song number n is called song-nnn, sounds like a constant of n / 1024 for 15 s, and has the mean n + t / 100 for term t,
from n % 7 + 1 raters. Song 2 has no audio, nor has every tenth from there; term 0 of song 3 was rated by nobody.
"""

import hashlib
import io
import json
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import soundfile

from build.dataset.rows import PLACE
from build.dataset.shards import write_songs
from globalmood import FEATURES, LANGUAGES, RATE_HZ

TRAIN = (9, 0, 16, 5, 1, 8)  # songs in each file: row groups of 8, 1, 8, 8, 5, 1 and 8
TEST = (3, 0)


def song_id(number: int) -> str:
    return f"song-{number:03d}"


def has_audio(number: int) -> bool:
    return number % 10 != 2


def mean(number: int, term: int) -> float:
    return np.nan if (number, term) == (3, 0) else np.float32(number + term / 100)


@cache
def sound(number: int, seconds: float = 15.0) -> bytes:
    samples = np.full((round(seconds * RATE_HZ), 2), number * 32, np.int16)  # n / 1024 of full scale
    payload = io.BytesIO()
    soundfile.write(payload, samples, RATE_HZ, format="FLAC", subtype="PCM_16")
    return payload.getvalue()


def _row(number: int, split: str, clips: Path, payload: bytes) -> dict:
    labels = {}
    for language in LANGUAGES:
        means = [None if np.isnan(mean(number, term)) else mean(number, term) for term in range(language.n_terms)]
        counts = [0 if value is None else number % 7 + 1 for value in means]
        labels[language.config] = {"mean": means, "std": [None] * language.n_terms, "count": counts}
    clip = clips / f"{number}.flac"
    clip.write_bytes(payload)
    audio = {"clip": str(clip) if has_audio(number) else None, "status": "ok" if has_audio(number) else "not_found"}
    return {"song_id": song_id(number), "split": split, **audio, **labels}


def write_folder(folder: Path, payload=sound) -> Path:
    """Write the folder; `payload` gives the encoded sound of a song by its number."""
    schema = FEATURES["all"].arrow_schema
    schema = pa.schema([*PLACE, *(field for field in schema if field.name != "audio")])
    clips = folder.parent / f"{folder.name}-clips"
    clips.mkdir()
    number, files = 0, {}
    for split, sizes in (("train", TRAIN), ("test", TEST)):
        for index, size in enumerate(sizes):
            name = f"data/{split}-{index:05d}-of-{len(sizes):05d}.parquet"
            rows = [_row(number + place, split, clips, payload(number + place)) for place in range(size)]
            write_songs(folder / name, pa.Table.from_pylist(rows, schema))
            files[name] = _entry(folder / name)
            number += size
    (folder / "MANIFEST.json").write_text(json.dumps({"files": files}))
    return folder


def _entry(path: Path) -> dict:
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
