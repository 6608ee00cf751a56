"""FFmpeg's limiter, as it is set here."""

import numpy as np

from build.audio.limiter import limit
from tests.audio.recordings import noise, sine

CEILING = 10 ** (-1 / 20)


def test_below_the_ceiling_it_is_a_gain():
    samples = (noise(48_123) * np.float32(0.5)).clip(-0.4, 0.4)
    assert np.allclose(limit(samples, 6.0), samples * 10 ** (6 / 20), atol=1e-6)


def test_nothing_passes_the_ceiling():
    assert np.abs(limit(noise(96_000, level=0.5), 12.0)).max() <= CEILING + 1e-6


def test_a_peak_stays_in_its_place():
    samples = sine(1, 0.1, n_channels=2).astype(np.float32)
    samples[:, 24_000] = 0.9
    limited = limit(samples, 6.0)
    assert limited.shape == samples.shape
    assert np.abs(limited).argmax(axis=1).tolist() == [24_000, 24_000]


def test_far_from_a_peak_the_gain_is_whole_again():
    samples = sine(2, 0.1, n_channels=2).astype(np.float32)
    samples[:, 24_000] = 0.9
    limited = limit(samples, 6.0)
    assert np.allclose(limited[:, 48_000:], samples[:, 48_000:] * 10 ** (6 / 20), rtol=0.01, atol=1e-4)
    assert np.abs(limited[:, 24_100]).max() < np.abs(samples[:, 24_100] * 10 ** (6 / 20)).max()


def test_its_own_chunks_leave_no_seams():
    samples = noise(20_000, level=0.3)
    shifted = np.concatenate([np.zeros((2, 1_000), np.float32), samples], axis=1)
    assert np.allclose(limit(shifted, 12.0)[:, 1_000:], limit(samples, 12.0), atol=1e-6)
