"""A made-up source folder in the layout of MADB's release: twelve tracks, two of them with sound."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import soundfile

from build.madb.contract import SCORES

SILENT = "avg_enunciation_and_singing_skill"


def tracks(n: int = 12) -> list[dict[str, object]]:
    """Track 1, 2, ...; every third is pure music; overall scores are 1 + id / 10."""
    rows = []
    for track in range(1, n + 1):
        pure = track % 3 == 0
        row = {"name": f"song, {track}.mp3", "id": track, "source_type": ("suno", "levo")[track % 2]}
        row |= {"is_pure_music": str(pure).upper()} | dict.fromkeys(SCORES.values(), 3.5)
        row |= {"avg_overall_score": 1 + track / 10, "mood": "sad | happy" if track % 2 else "sad"}
        rows.append(row | {SILENT: 0} if pure else row)
    return rows


def write(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """Write rows as CSV."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def annotations(n: int = 12, people: int = 3) -> list[dict[str, object]]:
    """A row a track with numbered columns; annotator p gives track t the overall score 1 + (t + p) % 5."""
    rows = []
    for track in range(1, n + 1):
        row: dict[str, object] = {"id": track}
        for person in range(1, people + 1):
            row |= {
                f"overall_score{person}": 1 + (track + person) % 5,
                f"comment_eng{person}": "a melody that stays with me for the whole long day" if person == 1 else "nice",
                f"comment{person}": "旋律很好听",
                f"genre{person}": "pop" if person < 3 else "pop, dj",
                f"mood{person}": "['sad', 'happy']",
            }
        rows.append(row)
    return rows


def source(folder: Path, **extra: Sequence[Mapping[str, object]]) -> Path:
    """A source folder; `annotations=` adds the file of single annotations."""
    (folder / "audio").mkdir(parents=True)
    write(folder / "song_avg_scores.csv", tracks())
    write(folder / "split_val_seed5.csv", [{"id": 2}, {"id": 5}, {"id": 9}])
    if "annotations" in extra:
        write(folder / "MADB_data.csv", extra["annotations"])
    tone = 0.1 * np.sin(np.arange(8000) * 0.1)
    soundfile.write(folder / "audio" / "2.mp3", tone, 16_000)
    soundfile.write(folder / "audio" / "song, 7.mp3", np.column_stack([tone, -tone]), 44_100)
    return folder
