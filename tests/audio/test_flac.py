"""FLAC payloads."""

import io

import numpy as np
import soundfile

from build.audio.flac import encode
from tests.audio.recordings import noise


def decoded(payload: bytes) -> np.ndarray:
    samples, rate_hz = soundfile.read(io.BytesIO(payload), dtype="int16")
    assert rate_hz == 48_000
    return samples.T


def test_whole_steps_come_back_bit_for_bit():
    steps = np.random.default_rng(0).integers(-32_768, 32_768, (2, 10_000))
    assert np.array_equal(decoded(encode((steps / 32_768).astype(np.float32))), steps)


def test_rounded_to_the_nearest_step_without_dither():
    samples = noise(10_000)
    assert np.array_equal(decoded(encode(samples)), np.rint(samples.astype(float) * 32_768))


def test_beyond_full_scale_is_clipped_not_wrapped():
    samples = np.array([[1.0, 1.5, -1.0, -1.5]] * 2, np.float32)
    assert decoded(encode(samples)).tolist() == [[32_767, 32_767, -32_768, -32_768]] * 2


def test_it_is_a_flac_file_of_16_bits_and_two_channels():
    info = soundfile.info(io.BytesIO(encode(noise(10_000))))
    assert (info.format, info.subtype, info.channels, info.frames) == ("FLAC", "PCM_16", 2, 10_000)


def test_same_samples_same_bytes():
    assert encode(noise(10_000)) == encode(noise(10_000))
