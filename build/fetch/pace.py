"""How often the site is asked. Time comes from a clock that is handed in, so that no test sleeps."""

import random
import threading
import time
from typing import Protocol

BURST = 3.0  # songs that may follow one another at once after a rest; the site looks at minutes, not at seconds
HOUR_S = 3600.0


class Clock(Protocol):
    """The time, and how to let it pass."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        time.sleep(seconds)


class TokenBucket:
    """At most `per_hour` takes an hour in the long run and never more than `size` at once.

    A token bucket as in RFC 2697: `size` tokens at most, refilled evenly; a clock set back refills nothing.
    """

    def __init__(self, per_hour: float, now: float, size: float = BURST, filled: float | None = None) -> None:
        self._per_s = per_hour / HOUR_S
        self._size = size
        self._tokens = size if filled is None else max(0.0, min(size, filled))
        self._at = now

    def wait_s(self, now: float) -> float:
        """Seconds until a take is allowed; 0 means now."""
        self._refill(now)
        return max(0.0, (1.0 - self._tokens) / self._per_s)

    def take(self, now: float) -> None:
        """Take a token; ask `wait_s` first."""
        self._refill(now)
        self._tokens -= 1.0

    def _refill(self, now: float) -> None:
        self._tokens = min(self._size, self._tokens + max(0.0, now - self._at) * self._per_s)
        self._at = now


class Gap:
    """A pause between one request and the next, drawn anew each time from `range_s` seconds."""

    def __init__(self, range_s: tuple[float, float], clock: Clock, seed: int = 0) -> None:
        self._range_s, self._clock = range_s, clock
        self._draw = random.Random(seed)  # noqa: S311 - politeness, not secrecy
        self._lock = threading.Lock()
        self._free_at = 0.0

    def keep(self) -> None:
        """Sleep until the gap since the last call is over."""
        with self._lock:
            now = self._clock.now()
            gap_s = self._draw.uniform(*self._range_s)
            wait_s = min(self._free_at - now, self._range_s[1])
            if wait_s > 0:
                self._clock.sleep(wait_s)
            self._free_at = self._clock.now() + gap_s
