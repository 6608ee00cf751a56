"""A small built folder with sound: what raters hear in a song is how high its tone is."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import soundfile

from build.files import sha256_of
from build.tables import CLIPS
from tests.scoring.made import built

RATE_HZ = 48_000
SECONDS = 2.5
LEVELS = {"loudness_policy": "none", "loudness_in_lufs": -20.0, "loudness_out_lufs": -20.0}


def tone(height: float, seed: int) -> np.ndarray:
    """Stereo sound (samples, 2) of a tone with overtones and some noise, two octaves wide over heights 1 to 5."""
    time = np.arange(int(SECONDS * RATE_HZ)) / RATE_HZ
    base_hz = 220 * 2 ** ((height - 1) / 2)
    wave = sum(np.sin(2 * np.pi * base_hz * k * time) / k for k in (1, 2, 3)) * 0.2
    noise = np.random.default_rng(seed).normal(0, 0.005, (len(time), 2))
    return (wave[:, None] + noise).astype(np.float32)


def with_sound(root: Path, n_songs: int = 40, silent: int = 1) -> Path:
    """A built GlobalMood folder below `root`; the last `silent` songs have no sound."""
    heights = np.random.default_rng(5).uniform(1.2, 4.8, n_songs)
    (root / "clips").mkdir(parents=True)
    rows = []
    for index, height in enumerate(heights):
        song_id, path = f"m{index:03d}", root / "clips" / f"m{index:03d}.flac"
        if index >= n_songs - silent:
            rows.append({"song_id": song_id, "status": "not_found"})
            continue
        soundfile.write(path, tone(height, index), RATE_HZ)
        rows.append({"song_id": song_id, "status": "ok", "path": str(path), "audio_sha256": sha256_of(path)} | LEVELS)
    moods = np.repeat(heights[:, None], 20, axis=1)
    moods[:, 1::2] = 6 - moods[:, 1::2]
    return built(root / "globalmood", n_songs, pa.Table.from_pylist(rows, CLIPS), moods)
