"""The samples of decoded frames as floats, and frames joined into one stretch by what their time stamps agree on."""

from collections import Counter

import av
import numpy as np

# FFmpeg's sample formats, planar or not: their type, and what full scale is divided by.
FORMATS = {"u8": ("u1", 128), "s16": ("i2", 1 << 15), "s32": ("i4", 1 << 31), "flt": ("f4", 1), "dbl": ("f8", 1)}


class HoleError(Exception):
    """The time stamps of a stretch do not join up."""


class Stretch:
    """Consecutive frames in a buffer of shape (channels, `capacity`); what would go beyond it is left out."""

    def __init__(self, n_channels: int, capacity: int) -> None:
        self._line = np.empty((n_channels, capacity), np.float32)
        self._offsets: list[int] = []
        self.filled = 0

    @property
    def full(self) -> bool:
        """No room is left."""
        return self.filled == self._line.shape[1]

    def append(self, frame: av.AudioFrame, place: int) -> None:
        """Add a frame whose time stamp says that its first sample lies at `place`."""
        self._offsets.append(place - self.filled)
        n_taken = min(frame.samples, self._line.shape[1] - self.filled)
        copy_samples(frame, self._line[:, self.filled : self.filled + n_taken])
        self.filled += n_taken

    def cut(self, start: int, count: int) -> np.ndarray:
        """`count` samples from place `start`, shape (channels, count). Raises HoleError if not all are there."""
        origin = agreed_origin(self._offsets)
        first = start - origin
        if first < 0 or first + count > self.filled:
            wanted = f"samples {start} to {start + count} are wanted"
            raise HoleError(f"{wanted}, {origin} to {origin + self.filled} were decoded")
        return self._line[:, first : first + count]


def agreed_origin(offsets: list[int]) -> int:
    """Where a run of frames or packets begins: what most of their time stamps say, each less what came before it.

    They are asked in two halves, which must agree, for otherwise something is missing in between (HoleError). Single
    ones, or the frames of a single Ogg page, may be stamped late by a part of a frame: encoders do that.
    """
    if not offsets:
        raise HoleError("no time stamps: nothing was decoded")
    half = len(offsets) // 2
    said = {Counter(part).most_common(1)[0][0] for part in (offsets[:half], offsets[half:]) if part}
    if len(said) != 1:
        raise HoleError(f"time stamps put the same sample at {sorted(said)}")
    return said.pop()


def copy_samples(frame: av.AudioFrame, target: np.ndarray) -> None:
    """Fill `target`, float32 of shape (channels, n), with the first n samples of a frame, full scale +-1."""
    kind, full_scale = FORMATS[frame.format.name.removesuffix("p")]
    n_channels, n_samples = target.shape
    if frame.format.is_planar:
        for row, plane in zip(target, frame.planes, strict=True):
            row[:] = np.frombuffer(plane, kind, n_samples)
    else:
        target[:] = np.frombuffer(frame.planes[0], kind, n_samples * n_channels).reshape(n_samples, n_channels).T
    if kind == "u1":
        target -= 128
    if full_scale != 1:
        target /= full_scale
