"""Fifteen seconds at 48 kHz, cut on the sample."""

import math

import numpy as np
import soxr

from build.audio.channels import to_stereo
from build.audio.track import Track
from build.audio.window import EXCERPT_S

RATE_HZ = 48_000  # of every excerpt
N_SAMPLES = EXCERPT_S * RATE_HZ
MARGIN_S = 0.05  # of sound on either side, so that the resampler's transients fall outside
QUALITY = "HQ"  # soxr: 20 bit, linear phase


def read_excerpt(track: Track, start_sample: int) -> np.ndarray:
    """The excerpt from `start_sample` (at the track's rate): float32, shape (2, 720,000), at 48 kHz.

    Where the rate differs the margins are whole numbers of samples at both rates, so that nothing shifts.
    """
    count = EXCERPT_S * track.rate_hz
    unit = track.rate_hz // math.gcd(track.rate_hz, RATE_HZ)
    margin = 0 if track.rate_hz == RATE_HZ else math.ceil(MARGIN_S * track.rate_hz / unit) * unit
    before = min(margin, start_sample // unit * unit)
    after = min(margin, track.n_samples - start_sample - count)
    stereo = to_stereo(track.read(start_sample - before, before + count + after), track.channels)
    if track.rate_hz == RATE_HZ:
        return stereo
    skip = before * RATE_HZ // track.rate_hz
    return soxr.resample(stereo.T, track.rate_hz, RATE_HZ, QUALITY).T[:, skip : skip + N_SAMPLES]
