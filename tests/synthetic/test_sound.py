import numpy as np
import pytest

from build.synthetic import sound
from build.synthetic.moods import MOODS
from build.synthetic.music import style_of

RATE_HZ = 22_050


def moods(**given: float) -> np.ndarray:
    return np.array([given.get(mood, 0.0) for mood in MOODS])


def song(duration_s: float = 4.0, **given: float) -> np.ndarray:
    return sound.synthesise(moods(**given), np.random.default_rng(0), duration_s, RATE_HZ)


def test_a_song_has_two_channels_and_the_length_asked_for() -> None:
    samples = song(4.321)
    assert samples.shape == (2, round(4.321 * RATE_HZ))
    assert samples.dtype == np.float32


@pytest.mark.parametrize("energy", [-1.7, 0.0, 1.7])
def test_samples_stay_within_full_scale(energy: float) -> None:
    assert 0.01 < np.abs(song(20.0, energy=energy, dance=1.7, tension=1.7)).max() <= 0.97


def test_a_song_fades_in_and_out() -> None:
    samples = song()
    assert np.abs(samples[:, [0, -1]]).max() == 0


def test_energy_makes_it_louder() -> None:
    quiet, loud = (np.sqrt(np.mean(np.square(song(20.0, energy=energy)))) for energy in (-1.5, 1.5))
    assert 20 * np.log10(loud / quiet) > 8


def test_the_same_numbers_give_the_same_song() -> None:
    assert song(dance=1.0).tobytes() == song(dance=1.0).tobytes()


def test_a_loop_goes_on_as_it_began() -> None:
    length = sound.render(sound.compose(moods(), np.random.default_rng(5)), RATE_HZ, np.random.default_rng(5)).shape[1]
    long = sound.synthesise(moods(), np.random.default_rng(5), 2.5 * length / RATE_HZ, RATE_HZ)
    middle = slice(length // 2, length)
    np.testing.assert_array_equal(long[:, middle], long[:, middle.start + length : middle.stop + length])


def test_a_tone_has_its_pitch() -> None:
    tone = sound._tone(69.0, 1.0, np.array([1.0, 0.5]), style_of(moods(tenderness=1.7)), RATE_HZ)  # A4
    spectrum = np.abs(np.fft.rfft(tone, 8 * len(tone)))
    peak_hz = np.argmax(spectrum) * RATE_HZ / (8 * len(tone))
    assert peak_hz == pytest.approx(440.0, abs=0.5)


def test_partials_above_the_hearable_band_are_left_out() -> None:
    tone = sound._tone(108.0, 0.5, np.ones(40), style_of(moods(tenderness=1.7)), RATE_HZ)  # C8, 4186 Hz
    spectrum = np.abs(np.fft.rfft(tone * np.hanning(len(tone))))
    hz = np.fft.rfftfreq(len(tone), 1 / RATE_HZ)
    assert spectrum[np.abs(hz - 4186) < 100].max() > 100 * spectrum[hz < 3500].max()


def test_what_rings_past_the_end_goes_on_at_the_beginning() -> None:
    track = np.zeros(5, np.float32)
    sound._add(track, np.arange(1, 5, dtype=np.float32), 3)
    assert track.tolist() == [3, 4, 0, 1, 2]


def test_a_sound_longer_than_the_loop_is_cut() -> None:
    track = np.zeros(3, np.float32)
    sound._add(track, np.ones(9, np.float32), 1)
    assert track.tolist() == [1, 2, 2]


@pytest.mark.parametrize("name", ["kick", "snare", "hat"])
def test_percussion_is_short_and_within_half_scale(name: str) -> None:
    stroke = sound.drum(name, RATE_HZ)
    assert 0.2 < np.abs(stroke).max() < 0.8
    assert np.abs(stroke[-RATE_HZ // 20 :]).max() < 0.05
