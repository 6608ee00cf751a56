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
ROUNDS = 3  # of limiting, at most
DRIVE = 0.6  # of the peaks' excess over the ceiling, in dB, goes on top of the first round's gain: limiting takes
#              about as much loudness away. Later rounds go up to the whole excess: beyond it they only squash.
ABOVE_LU, BELOW_LU = 0.1, 2.5  # of the target: where a round is the last. At -5 LUFS, limited music stays 2 LU below


@dataclass(frozen=True)
class Levelled:
    """An excerpt at its final level: `limiter_db` is the limiter's largest reduction, None where none was at work."""

    samples: np.ndarray
    gain_db: float
    loudness_lufs: float
    limiter_db: float | None = None


def level(samples: np.ndarray, loudness_lufs: float, target_lufs: float, policy: str) -> Levelled:
    """Bring float32 samples of shape (2, 720,000), measured at `loudness_lufs`, to a level that 16 bits can hold.

    Under `none`, what a decoder gave beyond full scale is clipped. Raises UnusableError `too_quiet` above 30 dB.
    """
    highest = peak(samples)
    gain_db = linear_gain_db(highest, loudness_lufs, target_lufs, policy)
    if policy == "limit":
        return _limited(samples, gain_db, max(0.0, decibels(highest) + gain_db - CEILING_DBFS), target_lufs)
    if policy == "none" and highest > 1:
        samples = samples.clip(-1, 1)
        loudness_lufs = integrated_lufs(samples)
    return amplify(samples, gain_db, loudness_lufs)


def amplify(samples: np.ndarray, gain_db: float, loudness_lufs: float) -> Levelled:
    """One gain for samples measured at `loudness_lufs`."""
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


def _limited(samples: np.ndarray, wanted_db: float, excess_db: float, target_lufs: float) -> Levelled:
    """The round that comes nearest to the target; each corrects the gain by what the one before missed."""
    most_db = min(wanted_db + excess_db, MAX_GAIN_DB)
    gain_db = min(wanted_db + DRIVE * excess_db, most_db)
    rounds: list[Levelled] = []
    for _ in range(ROUNDS):
        limited = limit(samples, gain_db)
        rounds.append(Levelled(limited, gain_db, integrated_lufs(limited), _reduction_db(samples, limited, gain_db)))
        missed_lu = target_lufs - rounds[-1].loudness_lufs
        if -ABOVE_LU <= missed_lu <= BELOW_LU or (missed_lu > 0 and gain_db == most_db):
            break
        gain_db = min(gain_db + missed_lu, most_db)
    return min(rounds, key=lambda done: abs(target_lufs - done.loudness_lufs))


def _reduction_db(samples: np.ndarray, limited: np.ndarray, gain_db: float) -> float:
    """How far the limiter pulled the highest sample down."""
    return max(0.0, gain_db + decibels(peak(samples)) - decibels(peak(limited)))
