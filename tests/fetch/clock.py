"""A clock whose time passes only by sleeping, at once."""

import threading


class FastClock:
    """`slept` holds every sleep in seconds."""

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self.time = start
        self.slept: list[float] = []
        self._lock = threading.Lock()

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self.time += seconds
