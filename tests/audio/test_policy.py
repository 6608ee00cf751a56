"""What each policy does to pink noise, and where levels are refused."""

import numpy as np
import pytest

from build.audio.loudness import decibels, integrated_lufs, peak
from build.audio.policy import amplify, level, linear_gain_db
from build.audio.status import UnusableError
from tests.audio.recordings import noise, sine


@pytest.fixture(scope="module")
def pink() -> np.ndarray:
    """15 s of pink noise in the left channel, its highest sample at full scale."""
    white = np.fft.rfft(np.random.default_rng(0).standard_normal(720_000))
    wave = np.fft.irfft(white / np.sqrt(np.maximum(np.arange(len(white)), 1)))
    return np.stack([wave / np.abs(wave).max(), np.zeros(720_000)]).astype(np.float32)


@pytest.fixture(scope="module")
def pink_lufs(pink) -> float:
    return integrated_lufs(pink)


def test_plain_gain_to_minus_five_would_clip_pink_noise(pink, pink_lufs):
    # Measured on another realisation: -14.84 LUFS, 13.8 % of samples clip, and the rest measures -5.96 LUFS.
    gained = amplify(pink, -5 - pink_lufs, pink_lufs).samples
    assert pink_lufs == pytest.approx(-14.84, abs=0.7)
    assert np.mean(np.abs(gained[0]) > 1) == pytest.approx(0.138, abs=0.03)
    assert integrated_lufs(gained.clip(-1, 1)) == pytest.approx(-5.96, abs=0.3)


def test_exact_reaches_the_target_and_passes_full_scale(pink, pink_lufs):
    gain_db = linear_gain_db(peak(pink), pink_lufs, -5.0, "exact")
    levelled = amplify(pink, gain_db, pink_lufs)
    assert gain_db == pytest.approx(-5 - pink_lufs)
    assert integrated_lufs(levelled.samples) == pytest.approx(-5, abs=0.001)
    assert decibels(peak(levelled.samples)) == pytest.approx(-5 - pink_lufs, abs=0.001)


def test_headroom_stops_at_the_ceiling(pink, pink_lufs):
    levelled = level(pink, pink_lufs, -5.0, "headroom")
    assert levelled.gain_db == pytest.approx(-1, abs=1e-6)
    assert decibels(peak(levelled.samples)) == pytest.approx(-1, abs=1e-4)
    assert levelled.loudness_lufs == pytest.approx(pink_lufs - 1, abs=1e-3)
    assert levelled.limiter_db is None


def test_headroom_is_undone_by_its_gain(pink, pink_lufs):
    levelled = level(pink, pink_lufs, -5.0, "headroom")
    assert np.allclose(levelled.samples * 10 ** (-levelled.gain_db / 20), pink, atol=1e-6)


def test_headroom_reaches_a_target_that_leaves_room(pink, pink_lufs):
    assert level(pink, pink_lufs, -23.0, "headroom").loudness_lufs == pytest.approx(-23)


def test_peak_puts_the_highest_sample_at_minus_five(pink, pink_lufs):
    levelled = level(pink, pink_lufs, -5.0, "peak")
    assert peak(levelled.samples) == pytest.approx(0.56234, abs=1e-5)
    assert levelled.loudness_lufs == pytest.approx(pink_lufs - 5, abs=1e-3)


def test_none_leaves_samples_alone(pink, pink_lufs):
    levelled = level(pink, pink_lufs, -5.0, "none")
    assert np.array_equal(levelled.samples, pink)
    assert (levelled.gain_db, levelled.loudness_lufs) == (0.0, pink_lufs)


def test_none_clips_what_a_decoder_gave_beyond_full_scale(pink, pink_lufs):
    levelled = level(pink * 2, pink_lufs + 6.02, -5.0, "none")
    assert peak(levelled.samples) == 1.0
    assert levelled.loudness_lufs == pytest.approx(integrated_lufs((pink * 2).clip(-1, 1)), abs=0.001)
    assert levelled.loudness_lufs < pink_lufs + 6.0


def test_limit_comes_nearer_to_the_target_without_clipping(pink, pink_lufs):
    levelled = level(pink, pink_lufs, -5.0, "limit")
    assert -10.5 < levelled.loudness_lufs < -5  # one channel alone cannot come nearer: -5.96 with all of it clipped
    assert decibels(peak(levelled.samples)) == pytest.approx(-1, abs=1e-3)
    assert levelled.loudness_lufs == pytest.approx(integrated_lufs(levelled.samples), abs=1e-6)


def test_limit_says_how_far_it_pulled_the_peaks_down(pink, pink_lufs):
    levelled = level(pink, pink_lufs, -5.0, "limit")
    assert levelled.limiter_db == pytest.approx(levelled.gain_db + 1, abs=1e-3)  # from 0 dBFS + gain to -1 dBFS


@pytest.mark.parametrize("target_lufs", [-16.0, -14.0, -11.0])
def test_limit_meets_a_target_that_can_be_met(pink, pink_lufs, target_lufs):
    assert level(pink, pink_lufs, target_lufs, "limit").loudness_lufs == pytest.approx(target_lufs, abs=0.6)


def test_limit_drives_peaks_no_further_than_their_excess_again(pink, pink_lufs):
    wanted_db, excess_db = -5 - pink_lufs, -5 - pink_lufs + 1
    assert level(pink, pink_lufs, -5.0, "limit").gain_db == pytest.approx(wanted_db + excess_db, abs=0.001)


def test_limit_without_overs_is_one_exact_gain():
    samples = sine(15, 0.1, n_channels=2).astype(np.float32)
    levelled = level(samples, integrated_lufs(samples), -5.0, "limit")
    assert peak(levelled.samples) == pytest.approx(0.5650, abs=2e-4)
    assert levelled.loudness_lufs == pytest.approx(-5, abs=0.001)
    assert levelled.limiter_db == pytest.approx(0, abs=1e-4)


def test_limit_does_not_lift_a_click_over_the_target():
    samples = noise(720_000, level=0.02)
    samples[:, 300_000] = 1.0  # one click far above the rest costs no loudness when it is taken down
    levelled = level(samples, integrated_lufs(samples), -14.0, "limit")
    assert levelled.loudness_lufs == pytest.approx(-14, abs=0.11)


@pytest.mark.parametrize("policy", ["limit", "exact"])
def test_gain_above_thirty_decibels_is_refused(policy):
    with pytest.raises(UnusableError, match=r"-63\.0 LUFS would need 58\.0 dB; 30\.0 are allowed") as caught:
        linear_gain_db(0.001, -63.0, -5.0, policy)
    assert caught.value.status == "too_quiet"


def test_headroom_of_a_quiet_excerpt_with_a_high_peak_is_allowed():
    assert linear_gain_db(0.5, -63.05, -5.0, "headroom") == pytest.approx(5.0206, abs=1e-3)
