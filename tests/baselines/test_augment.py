"""Bounds are measured in the sound: pitch by tracking tones, gain in dB, noise by its amplitude."""

import librosa
import numpy as np
import pytest

from build.baselines import augment as a

RATE_HZ = 48_000


def tone(hz: float, seconds: float = 1.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(int(seconds * RATE_HZ)) / RATE_HZ)).astype(np.float32)


def pitch_hz(sound: np.ndarray) -> float:
    return float(np.median(librosa.yin(sound, sr=RATE_HZ, fmin=200, fmax=1_000)))


def rms(sound: np.ndarray) -> float:
    return float(np.sqrt(np.mean(sound.astype(np.float64) ** 2)))


@pytest.mark.parametrize("semitones", [-3.0, -1.3, 0.4, 3.0])
def test_pitch_moves_by_the_semitones_and_the_length_stays(semitones):
    shifted = a.augment(tone(440), RATE_HZ, a.Variant(semitones, 0, 0), np.random.default_rng(0))
    assert 12 * np.log2(pitch_hz(shifted) / 440) == pytest.approx(semitones, abs=0.1)
    assert len(shifted) == RATE_HZ


@pytest.mark.parametrize("gain_db", [-15.0, 6.0, 15.0])
def test_level_changes_by_the_gain_without_clipping(gain_db):
    loud = a.augment(tone(440), RATE_HZ, a.Variant(0, gain_db, 0), np.random.default_rng(0))
    assert 20 * np.log10(rms(loud) / rms(tone(440))) == pytest.approx(gain_db, abs=1e-3)
    assert np.abs(loud).max() == pytest.approx(0.5 * 10 ** (gain_db / 20), rel=1e-3)


def test_noise_has_the_amplitude_of_the_paper_whatever_the_gain():
    quiet = a.augment(tone(440, 4), RATE_HZ, a.Variant(0, 0, a.NOISE), np.random.default_rng(1)) - tone(440, 4)
    loud = a.augment(tone(440, 4), RATE_HZ, a.Variant(0, 15, a.NOISE), np.random.default_rng(1))
    assert rms(quiet) == pytest.approx(0.005, rel=0.01)
    assert rms(loud - tone(440, 4) * np.float32(10**0.75)) == pytest.approx(0.005, rel=0.01)


def test_noise_is_white():
    noise = a.augment(np.zeros(2**16, np.float32), RATE_HZ, a.Variant(0, 0, a.NOISE), np.random.default_rng(2))
    power = np.abs(np.fft.rfft(noise)) ** 2
    halves = power[: len(power) // 2].mean(), power[len(power) // 2 :].mean()
    assert halves[0] == pytest.approx(halves[1], rel=0.05)


def test_the_original_is_left_alone():
    assert a.augment(tone(440), RATE_HZ, a.ORIGINAL, np.random.default_rng(0)).tolist() == tone(440).tolist()


def test_every_variant_is_one_or_two_changes_within_the_bounds():
    drawn = [variant for song in range(200) for variant in a.variants(f"song{song}", seed=0)]
    changes = np.array(drawn) != 0
    assert set(changes.sum(axis=1).tolist()) == {1, 2}
    assert changes.any(axis=0).all()
    semitones, gain_db, noise = np.array(drawn).T
    assert 2.9 < np.abs(semitones).max() <= 3
    assert 14.5 < np.abs(gain_db).max() <= 15
    assert set(noise.tolist()) == {0.0, 0.005}
    assert semitones.min() < 0 < semitones.max()


def test_ten_variants_a_song_that_more_do_not_change():
    assert len(a.variants("x", 0)) == 10
    assert a.variants("x", 0, 12)[:10] == a.variants("x", 0)


@pytest.mark.parametrize(("song_id", "seed"), [("y", 0), ("x", 1)])
def test_variants_depend_on_song_and_seed(song_id, seed):
    assert a.variants(song_id, seed) != a.variants("x", 0)
