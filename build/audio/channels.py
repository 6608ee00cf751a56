"""Any channel layout to stereo, by a stated matrix.

ITU-R BS.775-3, Annex 4 (3/2 to 2/0): left = L + 0.7071 C + 0.7071 Ls, right alike; a back centre goes to both sides
at -6 dB. The LFE channel is left out. Nothing is scaled down afterwards: the loudness stage sets the level.
Mono becomes dual mono, 0 dB in each channel.
"""

import numpy as np

from build.audio.status import UnusableError

HALF_POWER = 0.5**0.5
MIX = {  # channel: (share in the left, share in the right)
    "FL": (1.0, 0.0),
    "FR": (0.0, 1.0),
    "FC": (HALF_POWER, HALF_POWER),
    "LFE": (0.0, 0.0),
    "BL": (HALF_POWER, 0.0),
    "BR": (0.0, HALF_POWER),
    "SL": (HALF_POWER, 0.0),
    "SR": (0.0, HALF_POWER),
    "BC": (0.5, 0.5),
    "DL": (1.0, 0.0),
    "DR": (0.0, 1.0),
}


def to_stereo(samples: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """Mix float32 samples of shape (channels, n), named as by FFmpeg, down or up to shape (2, n).

    Raises UnusableError `decode_error` for a layout with a channel that the matrix does not know.
    """
    if len(names) == 1:
        return np.repeat(samples, 2, axis=0)
    if names in (("FL", "FR"), ("DL", "DR")):
        return samples
    unknown = [name for name in names if name not in MIX]
    if unknown:
        raise UnusableError("decode_error", f"no stereo downmix for the channels {unknown} of {list(names)}")
    matrix = np.array([MIX[name] for name in names], np.float32).T
    return matrix @ samples
