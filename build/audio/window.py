"""Which 15 seconds of a track: published by the source, replayed from an earlier build, or drawn."""

import hashlib
import math
from dataclasses import dataclass

from build.audio.status import UnusableError

EXCERPT_S = 15  # what the raters heard
DRAW_BITS = 256  # of the hash that a start is drawn from


@dataclass(frozen=True)
class Window:
    """Where an excerpt starts: `kind` is published, replayed or drawn; `start_sample` counts at the source's rate."""

    kind: str
    start_sample: int
    start_s: float


@dataclass(frozen=True)
class WindowRequest:
    """What decides a window before the track is known: a start to keep, or what to draw one from."""

    song_id: str
    seed: int
    published_s: float | None = None
    replayed_s: float | None = None


def choose(request: WindowRequest, n_samples: int, rate_hz: int) -> Window:
    """Choose the window of a track of `n_samples` at `rate_hz`.

    A published start wins over one recorded in an earlier build, and that over a draw: uniform over all
    positions that fit, from sha256(seed, song_id) alone, so that order, workers and machine have no part in it.
    Raises UnusableError: `too_short` below 15 s, `outside_track` where a given start does not fit.
    """
    length = EXCERPT_S * rate_hz
    if n_samples < length:
        raise UnusableError("too_short", f"the track has {n_samples / rate_hz:.3f} s, an excerpt {EXCERPT_S} s")
    for kind, start_s in (("published", request.published_s), ("replayed", request.replayed_s)):
        if start_s is not None:
            return _given(kind, start_s, n_samples - length, rate_hz)
    start = _draw(request.song_id, request.seed) * (n_samples - length + 1) >> DRAW_BITS
    return Window("drawn", start, start / rate_hz)


def _given(kind: str, start_s: float, last: int, rate_hz: int) -> Window:
    if not (math.isfinite(start_s) and 0 <= round(start_s * rate_hz) <= last):
        allowed = f"this track allows 0 to {last / rate_hz:.3f} s"
        raise UnusableError("outside_track", f"the {kind} window starts at {start_s} s; {allowed}")
    start = round(start_s * rate_hz)
    return Window(kind, start, start / rate_hz)


def _draw(song_id: str, seed: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}\0{song_id}".encode()).digest(), "big")
