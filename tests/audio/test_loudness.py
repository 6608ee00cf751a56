"""Loudness and peaks against the values of BS.1770, pyloudnorm and full oversampling."""

import warnings

import numpy as np
import pyloudnorm
import pytest
from scipy.signal import resample_poly

from build.audio.loudness import decibels, integrated_lufs, peak, true_peak
from tests.audio.recordings import noise, sine


def pyloudnorm_lufs(samples: np.ndarray, rate_hz: int = 48_000) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # log10(0) of silent blocks
        return pyloudnorm.Meter(rate_hz).integrated_loudness(samples.T.astype(float))


@pytest.mark.parametrize(
    ("samples", "expected_lufs"),
    [
        (sine(15), -3.0517),
        (sine(15, n_channels=2), -0.0414),
        (sine(15, 10 ** (-23 / 20), n_channels=2), -23.0414),
        (sine(15) * [[1], [-1]], -0.0414),
        (sine(15, 0.7991), -5.0),
        (sine(15, 0.5650, n_channels=2), -5.0),
        (np.sign(sine(15)), 0.78),
        (np.sign(sine(15, n_channels=2)), 3.79),
        (np.full((1, 720_000), 0.5), -32.33),
        (sine(15, 0.1) + 0.5, -23.048),
        (sine(15, 10 ** (-66.9 / 20)), -69.95),
        (sine(0.4), -3.05),
    ],
    ids=[
        "mono",
        "stereo",
        "quiet",
        "antiphase",
        "mono-5",
        "stereo-5",
        "square",
        "squares",
        "dc",
        "sine+dc",
        "above-gate",
        "0.4s",
    ],
)
def test_known_signals(samples, expected_lufs):
    assert integrated_lufs(samples) == pytest.approx(expected_lufs, abs=0.01)
    assert integrated_lufs(samples) == pytest.approx(pyloudnorm_lufs(samples), abs=0.001)


@pytest.mark.parametrize(("rate_hz", "expected_lufs"), [(44_100, -3.0524), (22_050, -3.0664), (8_000, -3.1922)])
def test_other_rates(rate_hz, expected_lufs):
    assert integrated_lufs(sine(15, rate_hz=rate_hz), rate_hz) == pytest.approx(expected_lufs, abs=0.001)


def test_gates_leave_out_the_silent_half():
    samples = np.concatenate([sine(7.5), np.zeros((1, 360_000))], axis=1)
    assert integrated_lufs(samples) == pytest.approx(-3.139, abs=0.001)


def test_a_burst_of_a_tenth_of_a_second():
    samples = np.zeros((1, 720_000))
    samples[:, 336_000:340_800] = sine(0.1)
    assert integrated_lufs(samples) == pytest.approx(-9.07, abs=0.01)


@pytest.mark.parametrize(
    "samples", [np.zeros((2, 720_000)), sine(15, 10 ** (-67.1 / 20))], ids=["silence", "-67.1 dBFS"]
)
def test_below_the_absolute_gate_is_minus_infinity(samples):
    assert integrated_lufs(samples) == -np.inf


def test_a_last_block_that_is_not_complete_is_left_out():
    assert integrated_lufs(sine(0.46)) == integrated_lufs(sine(0.46)[:, :19_200])


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_pyloudnorm_on_uneven_noise(seed):
    level = np.repeat(10 ** np.random.default_rng(seed).uniform(-4, 0, 30), 4_800)
    samples = noise(144_000, seed=seed) * level
    assert integrated_lufs(samples.astype(np.float32)) == pytest.approx(pyloudnorm_lufs(samples), abs=0.001)


def test_below_four_tenths_of_a_second_is_refused():
    with pytest.raises(ValueError, match=r"19199 samples are 0\.400 s; loudness needs 0\.4 s"):
        integrated_lufs(sine(0.4)[:, :-1])


def test_a_rate_without_whole_steps_is_refused():
    with pytest.raises(ValueError, match=r"11025 Hz: 0\.1 s is no whole number of samples"):
        integrated_lufs(sine(1, rate_hz=11_025), 11_025)


@pytest.mark.parametrize("samples", [np.zeros((2, 48_000), np.int16), np.zeros(48_000), np.zeros((48_000, 2))])
def test_other_shapes_and_types_are_refused(samples):
    with pytest.raises(ValueError, match=r"floats of shape \(1 or 2, n\) are needed"):
        integrated_lufs(samples)


def test_true_peak_lies_between_the_samples():
    between = np.sin(np.pi / 2 * np.arange(48_000) + np.pi / 4)[None]  # a quarter of the rate, sampled at +-0.7071
    inside = between[:, 100:-100].astype(np.float32)
    assert decibels(peak(inside)) == pytest.approx(-3.01, abs=0.01)
    assert decibels(true_peak(np.tile(inside, (1, 3))[:, :47_000])) == pytest.approx(0.0, abs=0.2)


@pytest.mark.parametrize("seed", range(4))
def test_true_peak_equals_oversampling_everything(seed):
    samples = noise(48_007, seed=seed) * np.float32(3)
    samples[:, 20_000 + seed :: 9_000] *= 2
    samples = samples.clip(-1, 1)
    expected = np.abs(resample_poly(samples, 4, 1, axis=1)).max()
    assert true_peak(samples) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("place", [0, 1, 19, 20, 21, 47_999])
def test_true_peak_of_a_click_anywhere_is_its_height(place):
    samples = np.zeros((2, 48_000), np.float32)
    samples[1, place] = -0.5
    assert true_peak(samples) == pytest.approx(0.5, rel=1e-3)


def test_peak_of_silence_in_decibels_is_minus_infinity():
    assert decibels(peak(np.zeros((2, 10)))) == -np.inf
