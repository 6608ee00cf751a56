"""Variants of a sound for training: pitch, level and noise, within the bounds of the paper (section 5.1).

Each variant is one or two of three changes, drawn from its seed alone. Levels change in floating point: nothing is
clipped, so a variant may exceed full scale and must not be stored as integers.
"""

from typing import NamedTuple

import numpy as np
from librosa.effects import pitch_shift

from build.baselines.sounds import Samples

SEMITONES = 3.0  # largest pitch shift, up or down
GAIN_DB = 15.0  # largest change of level, up or down
NOISE = 0.005  # amplitude of added white noise: its standard deviation, with full scale at 1
CHANGES = ("pitch", "gain", "noise")
MOST_CHANGES = 2
N_VARIANTS = 10  # a song


class Variant(NamedTuple):
    """What is changed in a sound, in this order: 0 semitones, 0 dB and no noise leave it as it is."""

    semitones: float
    gain_db: float
    noise: float


ORIGINAL = Variant(0.0, 0.0, 0.0)


def variants(song_id: str, seed: int, count: int = N_VARIANTS) -> list[Variant]:
    """The variants 1 to `count` of a song: one or two of pitch, gain and noise, uniform within their bounds.

    Each depends on the song, the seed and its number alone, so that more variants do not change the first.
    """
    return [_drawn(generator(song_id, seed, number)) for number in range(1, count + 1)]


def generator(song_id: str, seed: int, number: int) -> np.random.Generator:
    """The generator of chance for variant `number` of a song."""
    return np.random.default_rng([seed, number, *song_id.encode()])


def _drawn(rng: np.random.Generator) -> Variant:
    chosen = rng.choice(CHANGES, size=rng.integers(1, MOST_CHANGES + 1), replace=False)
    semitones, gain_db = rng.uniform(-SEMITONES, SEMITONES), rng.uniform(-GAIN_DB, GAIN_DB)
    return Variant(
        float(semitones) if "pitch" in chosen else 0.0,
        float(gain_db) if "gain" in chosen else 0.0,
        NOISE if "noise" in chosen else 0.0,
    )


def augment(samples: Samples, rate_hz: int, variant: Variant, rng: np.random.Generator) -> Samples:
    """`samples` (n,) changed as `variant` says: pitch without tempo, then level, then noise. As long as before."""
    if variant.semitones:
        samples = pitch_shift(samples, sr=rate_hz, n_steps=variant.semitones, res_type="soxr_hq")
    if variant.gain_db:
        samples = samples * np.float32(10.0 ** (variant.gain_db / 20.0))
    if variant.noise:
        samples = samples + rng.normal(0.0, variant.noise, len(samples)).astype(np.float32)
    return samples.astype(np.float32, copy=False)
