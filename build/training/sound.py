"""From an encoded payload to the samples of a batch."""

import numpy as np
import pyarrow as pa
import soundfile
import soxr

QUALITY = "HQ"  # of soxr: what librosa calls soxr_hq, and globalmood.waveform uses


def decode(payload: memoryview, rate_hz: int | None, mono: bool) -> np.ndarray:
    """Decode an audio file in memory into float32 of shape (samples, channels), full scale +-1.

    Channels are averaged before the rate is changed, which is linear and costs half as much. soundfile reads from
    `payload` itself. Raises soundfile.LibsndfileError for what it cannot decode.
    """
    samples, native_hz = soundfile.read(pa.BufferReader(payload), dtype="float32", always_2d=True)
    return convert(samples, native_hz, rate_hz, mono)


def convert(samples: np.ndarray, native_hz: int, rate_hz: int | None, mono: bool) -> np.ndarray:
    """Average the channels of float32 (samples, channels) if `mono`, and change its rate to `rate_hz` if given."""
    if mono and samples.shape[1] > 1:
        samples = (sum(samples.T) / samples.shape[1])[:, np.newaxis]  # mean(axis=1) takes twenty times as long
    if rate_hz is None or rate_hz == native_hz or not len(samples):
        return samples
    return soxr.resample(samples, native_hz, rate_hz, quality=QUALITY)
