"""How loud and how high: ITU-R BS.1770-4 loudness, sample peak and true peak of a stretch of sound.

The K-weighting coefficients are pyloudnorm's (its default filter class), run as one `sosfilt` over all channels;
blocks of 400 ms that overlap by 75 % are sums of four neighbouring 100 ms energies, so each sample is squared once.
"""

from functools import cache

import numpy as np
from pyloudnorm import Meter
from scipy.signal import firwin, sosfilt

STEP_S = 0.1  # between blocks
BLOCK_STEPS = 4  # a block is 0.4 s
OFFSET_DB = -0.691  # BS.1770-4, equation 2
ABSOLUTE_GATE_LUFS = -70.0
RELATIVE_GATE_LU = -10.0

OVERSAMPLING = 4  # BS.1770-4, Annex 2, for 48 kHz
HALF_TAPS = 10  # input samples on either side of an interpolated one
ROW = 20  # samples interpolated by one row of the matrix product


def integrated_lufs(samples: np.ndarray, rate_hz: int = 48_000) -> float:
    """Integrated loudness in LUFS of samples of shape (channels, n), one or two channels of weight 1; -inf for silence.

    ITU-R BS.1770-4, Annex 1; a last block that is not complete is left out, as there.
    Raises ValueError below 0.4 s, where 0.1 s is no whole number of samples, or for other shapes and types.
    """
    if samples.ndim != 2 or len(samples) > 2 or samples.dtype.kind != "f":
        raise ValueError(f"floats of shape (1 or 2, n) are needed, not {samples.dtype} of shape {samples.shape}")
    step = round(rate_hz * STEP_S)
    if step != rate_hz * STEP_S:
        raise ValueError(f"{rate_hz} Hz: 0.1 s is no whole number of samples")
    n_steps = samples.shape[1] // step
    if n_steps < BLOCK_STEPS:
        raise ValueError(f"{samples.shape[1]} samples are {samples.shape[1] / rate_hz:.3f} s; loudness needs 0.4 s")
    weighted = sosfilt(k_weighting(rate_hz), samples)[:, : n_steps * step].reshape(len(samples), n_steps, step)
    energies = np.einsum("cns,cns->n", weighted, weighted) / (BLOCK_STEPS * step)
    return _gated(np.convolve(energies, np.ones(BLOCK_STEPS), "valid"))


def _gated(powers: np.ndarray) -> float:
    """Equations 5 to 7: the mean power of the blocks above both gates, as a loudness."""
    loud = powers[powers > _power(ABSOLUTE_GATE_LUFS)]
    if not loud.size:
        return -np.inf
    loud = loud[loud > loud.mean() * 10 ** (RELATIVE_GATE_LU / 10)]
    return float(OFFSET_DB + 10 * np.log10(loud.mean()))


def _power(loudness_lufs: float) -> float:
    return 10 ** ((loudness_lufs - OFFSET_DB) / 10)


@cache
def k_weighting(rate_hz: int) -> np.ndarray:
    """The two stages of the K-weighting filter as second-order sections, from pyloudnorm."""
    stages = Meter(rate_hz)._filters.values()
    return np.array([[*stage.b, *stage.a] for stage in stages])


def decibels(amplitude: float) -> float:
    """20 log10 of an amplitude: dBFS, or dBTP of an interpolated one; -inf for 0."""
    return float(20 * np.log10(amplitude)) if amplitude > 0 else -np.inf


def peak(samples: np.ndarray) -> float:
    """The largest magnitude of any sample."""
    return max(float(samples.max()), -float(samples.min()))


def true_peak(samples: np.ndarray) -> float:
    """The largest magnitude of the sound between and on the samples (channels, n), by 4 x oversampling.

    ITU-R BS.1770-4, Annex 2, with a longer filter (81 taps, Kaiser 5, scipy's `resample_poly`). Only stretches that
    can hold it are interpolated: no interpolated sample exceeds the largest one near it times the filter's gain.
    """
    matrix, gain = _interpolator()
    highest = peak(samples)
    for channel in samples:
        rows = -(-len(channel) // ROW)
        padded = np.zeros((rows + 2) * ROW, np.float32)
        padded[ROW : ROW + len(channel)] = channel
        tallest = np.abs(padded).reshape(-1, ROW).max(axis=1)
        near = np.maximum(np.maximum(tallest[:-2], tallest[2:]), tallest[1:-1])
        windows = np.lib.stride_tricks.sliding_window_view(padded[ROW - HALF_TAPS :], ROW + 2 * HALF_TAPS)[::ROW][:rows]
        candidates = windows[near * gain > highest]
        if len(candidates):
            highest = max(highest, peak(candidates @ matrix))
    return highest


@cache
def _interpolator() -> tuple[np.ndarray, float]:
    """A matrix from ROW samples and their neighbours to the three points after each, and its largest absolute gain."""
    reach = HALF_TAPS * OVERSAMPLING
    taps = OVERSAMPLING * firwin(2 * reach + 1, 1 / OVERSAMPLING, window=("kaiser", 5.0))
    matrix = np.zeros((ROW + 2 * HALF_TAPS, ROW, OVERSAMPLING - 1), np.float32)
    for source in range(len(matrix)):
        for target in range(ROW):
            for phase in range(1, OVERSAMPLING):
                tap = OVERSAMPLING * (target + HALF_TAPS - source) + phase + reach
                if 0 <= tap <= 2 * reach:
                    matrix[source, target, phase - 1] = taps[tap]
    flat = matrix.reshape(len(matrix), -1)
    return flat, float(np.abs(flat).sum(axis=0).max())
