"""What is done about loudness: one target, and five ways to treat peaks that would pass full scale on the way.

Plain gain to -5 LUFS drives the peaks of ordinary music 4 to 16 dB over full scale, so a policy is part of the result:
  limit     gain, then a look-ahead limiter at -1 dBFS, in at most three rounds towards the target
  headroom  one gain that stops where the sample peak meets -1 dBFS: `gain_db` undoes it
  peak      one gain that puts the sample peak at -5 dBFS: the other reading of "normalised at -5 dB"
  exact     one gain to the target, whatever the peaks: for decoders that give out floats
  none      as it is
"""

from dataclasses import dataclass

import numpy as np

from build.audio.limiter import CEILING_DBFS, limit
from build.audio.loudness import decibels, integrated_lufs, peak
from build.audio.status import UnusableError

PEAK_TARGET_DBFS = -5.0
MAX_GAIN_DB = 30.0  # more than that lifts noise, not music
ROUNDS = 3
CLOSE_LU = 0.1  # from the target, where rounds end
POLICIES = ("limit", "headroom", "peak", "exact", "none")


@dataclass(frozen=True)
class Levelled:
    """An excerpt at its final level: `limiter_db` is the limiter's largest reduction, None where none was at work."""

    samples: np.ndarray
    gain_db: float
    loudness_lufs: float
    limiter_db: float | None = None


def level(samples: np.ndarray, loudness_lufs: float, target_lufs: float, policy: str) -> Levelled:
    """Bring float32 samples of shape (2, 720,000), measured at `loudness_lufs`, to their final level.

    Raises UnusableError `too_quiet` where that would take more than 30 dB.
    """
    gain_db = linear_gain_db(peak(samples), loudness_lufs, target_lufs, policy)
    if policy == "limit":
        return _limited(samples, gain_db, target_lufs)
    return Levelled(samples * np.float32(10 ** (gain_db / 20)), gain_db, loudness_lufs + gain_db)


def linear_gain_db(sample_peak: float, loudness_lufs: float, target_lufs: float, policy: str) -> float:
    """The gain that a policy asks for, before any limiter. Raises UnusableError `too_quiet` above 30 dB."""
    wanted_db = target_lufs - loudness_lufs
    gain_db = {
        "limit": wanted_db,
        "exact": wanted_db,
        "headroom": min(wanted_db, CEILING_DBFS - decibels(sample_peak)),
        "peak": PEAK_TARGET_DBFS - decibels(sample_peak),
        "none": 0.0,
    }[policy]
    if gain_db > MAX_GAIN_DB:
        raise UnusableError(
            "too_quiet", f"{loudness_lufs:.1f} LUFS would need {gain_db:.1f} dB; {MAX_GAIN_DB} are allowed"
        )
    return gain_db


def _limited(samples: np.ndarray, gain_db: float, target_lufs: float) -> Levelled:
    for _ in range(ROUNDS):
        limited = limit(samples, gain_db)
        reached_lufs = integrated_lufs(limited)
        best = Levelled(limited, gain_db, reached_lufs, _reduction_db(samples, limited, gain_db))
        if abs(target_lufs - reached_lufs) < CLOSE_LU:
            break
        gain_db = min(gain_db + target_lufs - reached_lufs, MAX_GAIN_DB)
    return best


def _reduction_db(samples: np.ndarray, limited: np.ndarray, gain_db: float) -> float:
    """How far the limiter pulled the highest sample down."""
    return max(0.0, gain_db + decibels(peak(samples)) - decibels(peak(limited)))
