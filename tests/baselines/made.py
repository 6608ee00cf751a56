"""Small built folders with sound: what raters hear in a song or a track is how high its tone is."""

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import soundfile

import build.dataset.write as write_module
from build.files import sha256_of
from build.madb.build import MadbOptions, build_madb
from build.madb.contract import SCORES
from build.tables import CLIPS
from build.workspace import Workspace
from tests.madb.made import annotations, tracks, write
from tests.scoring.made import built

RATE_HZ = 48_000
SECONDS = 2.5
LONG_COMMENT = "it goes on and on, and nobody knows where it will end, " * 4 + "or when"
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write_module, "card_figures", lambda *_: [])  # they take longer than all the rest
        return built(root / "globalmood", n_songs, pa.Table.from_pylist(rows, CLIPS), moods)


def tracks_with_sound(root: Path, n_tracks: int = 30, comments: bool = True) -> Path:
    """A built MADB folder below `root`: every fourth track is for validation, and the last one has no sound.

    Track t has the overall score 1 + t / 10 and a tone as high; annotators say what `tests.madb.made` lets them say,
    but for a long comment on track 1.
    """
    source = root / "source"
    (source / "audio").mkdir(parents=True)
    rows = [row | {SCORES["overall_score"]: 1 + float(row["id"]) / 10} for row in tracks(n_tracks)]
    write(source / "song_avg_scores.csv", rows)
    write(source / "split_val_seed5.csv", [{"id": track} for track in range(4, n_tracks + 1, 4)])
    if comments:
        said = annotations(n_tracks)
        said[0] |= {"comment_eng1": LONG_COMMENT}
        write(source / "MADB_data.csv", said)
    for track in range(1, n_tracks):
        soundfile.write(source / "audio" / f"{track}.mp3", tone(1 + track / 10, track)[:, 0], RATE_HZ)
    build_madb(MadbOptions(str(source), None, root / "madb"), Workspace(root / "work"), lambda _: None)
    return root / "madb"


def part_of(built_folder: Path, out: Path, test: int = 6, train: int = 4) -> Path:
    """A built GlobalMood folder with the first songs with sound of another: of its test songs, and of each fold."""
    shutil.copytree(built_folder, out, ignore=shutil.ignore_patterns("data", "figures"))
    (out / "data").mkdir()
    left = Counter({None: test} | dict.fromkeys(range(5), train))
    for path in sorted(built_folder.glob("data/*.parquet")):
        rows = pq.ParquetFile(path).read()
        kept = []
        for row in rows.select(["fold", "audio_sha256"]).to_pylist():
            kept.append(row["audio_sha256"] is not None and left[row["fold"]] > 0)
            left[row["fold"]] -= kept[-1]
        pq.write_table(rows.filter(pa.array(kept, pa.bool_())), out / "data" / path.name)
    return out
