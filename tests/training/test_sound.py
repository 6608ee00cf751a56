"""`build.training.sound`: samples as soundfile and librosa have them."""

import io

import librosa
import numpy as np
import pytest
import soundfile

import globalmood
from build.training.sound import convert, decode


def encoded(samples, rate_hz=48_000, kind="FLAC"):
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate_hz, format=kind)
    return memoryview(stream.getvalue())


@pytest.fixture
def noise():
    return np.random.default_rng(0).uniform(-0.5, 0.5, (48_000, 2)).astype(np.float32)


@pytest.mark.parametrize("kind", ["FLAC", "WAV", "OGG"])
def test_samples_are_those_of_soundfile(noise, kind):
    payload = encoded(noise, kind=kind)
    wanted, _ = soundfile.read(io.BytesIO(payload), dtype="float32")
    np.testing.assert_array_equal(decode(payload, 48_000, mono=False), wanted)


def test_a_view_into_something_longer_is_read_to_its_end_only(noise):
    payload = encoded(noise)
    inside = memoryview(b"before" + payload + b"after")[6:-5]
    np.testing.assert_array_equal(decode(inside, 48_000, mono=False), decode(payload, 48_000, mono=False))


def test_mono_is_the_mean_of_the_channels():
    samples = np.array([[0.5, -0.25], [0.25, 0.75]], np.float32)
    mono = convert(samples, 48_000, 48_000, mono=True)
    assert (mono.dtype, mono.tolist()) == (np.float32, [[0.125], [0.5]])
    assert convert(mono, 48_000, 48_000, mono=True) is mono


@pytest.mark.parametrize("mono", [False, True])
@pytest.mark.parametrize("rate_hz", [24_000, 44_100, 96_000])
def test_resampling_is_that_of_librosa(noise, rate_hz, mono):
    wanted = librosa.resample(
        noise.T.mean(axis=0, keepdims=True) if mono else noise.T, orig_sr=48_000, target_sr=rate_hz
    )
    np.testing.assert_allclose(convert(noise, 48_000, rate_hz, mono).T, wanted, atol=1e-6)


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 16_000, 16_001, 22_050, 32_000, 44_100, 47_999, 48_000])
def test_an_excerpt_has_15_seconds_at_every_rate(rate_hz):
    samples = np.zeros((720_000, 1), np.float32)
    assert convert(samples, 48_000, rate_hz, mono=False).shape == (15 * rate_hz, 1)


def test_it_agrees_with_waveform(noise):
    payload = encoded(noise)
    sound, _ = globalmood.waveform({"bytes": bytes(payload), "path": None}, rate_hz=24_000, mono=True)
    np.testing.assert_allclose(decode(payload, 24_000, mono=True).T, sound, atol=1e-6)


def test_what_cannot_be_decoded_raises():
    with pytest.raises(soundfile.LibsndfileError):
        decode(memoryview(b"no sound at all"), 48_000, mono=False)
