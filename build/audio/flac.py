"""Excerpts as FLAC: 16 bit, rounded and not dithered.

At the levels set here rounding noise lies some 90 dB below the music, which dithers itself, and a 16-bit
source that is not resampled and not levelled comes back bit for bit.
"""

import io

import numpy as np
import soundfile

RATE_HZ = 48_000
COMPRESSION = 0.5  # of 0 to 1: a quarter less time than libsndfile's default for 0.3 % more bytes


def encode(samples: np.ndarray) -> bytes:
    """A FLAC file of float samples of shape (2, n), full scale +-1; what lies beyond is clipped."""
    scaled = samples * np.float32(32_768)
    np.rint(scaled, out=scaled)
    np.clip(scaled, -32_768, 32_767, out=scaled)
    whole = np.empty(scaled.shape[::-1], np.int16)
    whole.T[:] = scaled
    payload = io.BytesIO()
    soundfile.write(payload, whole, RATE_HZ, format="FLAC", subtype="PCM_16", compression_level=COMPRESSION)
    return payload.getvalue()
