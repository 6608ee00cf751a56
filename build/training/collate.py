"""Rows of `datasets` -> one batch."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from build.training.batch import Batch, as_tensors
from build.training.sound import convert
from globalmood import STATISTICS, waveform


def collate(rows: Sequence[dict[str, Any]], rate_hz: int | None = None, mono: bool = False) -> Batch:
    """What `globalmood.collate` promises."""
    if not rows or "song_id" not in rows[0] or "audio" not in rows[0]:
        raise ValueError("collate takes rows of a config with audio: `all` or a language")
    languages = [language for language in STATISTICS if language in rows[0]]
    sounds = [_sound(row["audio"], rate_hz, mono) for row in rows]
    waveforms = np.zeros((len(rows), 1 if mono else 2, max(len(sound) for sound in sounds)), np.float32)
    for place, sound in enumerate(sounds):
        waveforms[place, :, : len(sound)] = sound.T
    batch = {
        "song_id": [row["song_id"] for row in rows],
        "waveform": waveforms,
        "has_audio": np.array([row["audio"] is not None for row in rows]),
        "mean": _labels(rows, languages, "mean", np.float32),
        "count": _labels(rows, languages, "count", np.int16),
    }
    return as_tensors(batch)


def _sound(audio: Any, rate_hz: int | None, mono: bool) -> np.ndarray:
    samples, native_hz = waveform(audio)
    return convert(samples.T, native_hz, rate_hz, mono)


def _labels(rows: Sequence[dict[str, Any]], languages: list[str], statistic: str, kind: type) -> np.ndarray:
    parts: list[np.ndarray] = [np.array([row[language][statistic] for row in rows], kind) for language in languages]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 0), kind)
