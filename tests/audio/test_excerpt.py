"""Excerpts at 48 kHz: events come out at the right sample from every container, and edges are clean."""

import numpy as np
import pytest
import soundfile
import soxr

from build.audio.excerpt import N_SAMPLES, read_excerpt
from build.audio.track import Track
from tests.audio.recordings import lag, noise, residual_db, sine, write

STEP_S, BURST_S = 9.0, 11.0
KINDS = [
    ("webm", 48_000, 2),
    ("m4a", 44_100, 2),
    ("mp3", 44_100, 2),
    ("mp3", 48_000, 1),
    ("ogg", 44_100, 2),
    ("opus", 48_000, 1),
    ("flac", 44_100, 2),
    ("flac", 96_000, 2),
    ("wav", 22_050, 1),
    ("wav", 48_000, 6),
]


def events(rate_hz: int, n_channels: int) -> np.ndarray:
    """20 s: noise that drops by 60 dB after 9 s, and a burst of 50 ms after 11 s."""
    samples = noise(20 * rate_hz, n_channels)
    step, burst = round(STEP_S * rate_hz), round(BURST_S * rate_hz)
    samples[:, step:] *= 1e-3
    samples[:, burst : burst + rate_hz // 20] *= 2e3
    return samples


def around(samples: np.ndarray, place_s: float) -> np.ndarray:
    place = round(place_s * 48_000)
    return samples[0, place - 9_600 : place + 9_600]


@pytest.mark.parametrize(("ending", "rate_hz", "n_channels"), KINDS)
def test_a_step_and_a_burst_come_out_at_the_right_sample(tmp_path, ending, rate_hz, n_channels):
    samples = events(rate_hz, n_channels)
    with Track(write(tmp_path / f"events.{ending}", samples, rate_hz)) as track:
        for start in np.random.default_rng(2).integers(0, 4 * rate_hz, 10):
            heard = read_excerpt(track, int(start))
            recorded = soxr.resample(samples[0, start : start + 15 * rate_hz], rate_hz, 48_000)[None]
            assert heard.shape == (2, N_SAMPLES)
            for event_s in (STEP_S, BURST_S):
                place_s = event_s - start / rate_hz
                assert lag(around(heard, place_s), around(recorded, place_s)) == 0


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 88_200, 96_000])
def test_every_rate_gives_48_khz_without_transients_at_the_edges(tmp_path, rate_hz):
    soundfile.write(tmp_path / "tone.wav", sine(20, 0.5, rate_hz)[0], rate_hz, subtype="FLOAT")
    start = 2 * rate_hz + 7
    with Track(tmp_path / "tone.wav") as track:
        heard = read_excerpt(track, start)
    expected = 0.5 * np.sin(2 * np.pi * 997 * (start / rate_hz + np.arange(N_SAMPLES) / 48_000))
    assert heard.shape == (2, N_SAMPLES)
    assert np.abs(heard - expected).max() < 1e-4


@pytest.mark.parametrize("start", [0, 1, 100, 5 * 44_100 - 1, 5 * 44_100])
def test_excerpts_at_the_ends_of_a_track_have_their_length(tmp_path, start):
    samples = noise(20 * 44_100)
    with Track(write(tmp_path / "track.wav", samples, 44_100)) as track:
        heard = read_excerpt(track, start)
    recorded = soxr.resample(samples[:, start : start + 15 * 44_100].T, 44_100, 48_000).T
    assert heard.shape == (2, N_SAMPLES)
    assert residual_db(heard[:, 4_800:-4_800], recorded[:, 4_800:-4_800]) < -60


def test_at_48_khz_samples_are_not_touched(tmp_path):
    samples = np.rint(noise(20 * 48_000) * 32_768).clip(-32_768, 32_767)
    soundfile.write(tmp_path / "track.flac", samples.T.astype(np.int16), 48_000)
    with Track(tmp_path / "track.flac") as track:
        assert np.array_equal(read_excerpt(track, 123_457), samples[:, 123_457 : 123_457 + N_SAMPLES] / 32_768)
