"""When the run as a whole must rest or stop, whatever single songs say (pure: time and outcomes are handed in)."""

from dataclasses import dataclass
from typing import Generic, TypeVar

STREAK = 5  # failures in a row after which the site itself is suspected
RESTS = 4  # rests in a row, without an answer between them, after which the run gives up for now
LONGEST_REST_S = 6 * 3600.0  # whatever a server's Retry-After asks for


T = TypeVar("T")


class Streak(Generic[T]):
    """YouTube's failures in a row: a limit can look like empty files, refusals or missing videos by turns."""

    def __init__(self) -> None:
        self._items: list[T] = []

    def failed(self, item: T) -> list[T]:
        """Note a failure. Returns the streak, which is then over, once it is long enough to suspect the site."""
        self._items.append(item)
        if len(self._items) < STREAK:
            return []
        streak, self._items = self._items, []
        return streak

    def answered(self) -> None:
        """A song was had: the site is fine."""
        self._items = []


@dataclass
class Rest:
    """The rests of a run: each twice as long as the last, until the `site` that asked for it has answered again."""

    until: float = 0.0
    count: int = 0
    site: str = ""

    def begin(self, site: str, now: float, wait_s: float, retry_after_s: float | None = None) -> None:
        """Rest for what the server asks, or for `wait_s` where that is nothing: no limit is over at once.

        What comes in while the run rests changes nothing.
        """
        if self.left_s(now):
            return
        self.until = now + min((retry_after_s or wait_s) * 2**self.count, LONGEST_REST_S)
        self.count, self.site = self.count + 1, site

    def answered(self, site: str) -> None:
        """`site` has answered something that is no limit."""
        if site == self.site:
            self.count = 0

    def given_up(self) -> bool:
        """Whether the run has rested often enough."""
        return self.count > RESTS

    def left_s(self, now: float) -> float:
        """Seconds of rest that are left; none where the clock was set back by more than a rest can last."""
        left_s = self.until - now
        return left_s if 0 < left_s <= LONGEST_REST_S else 0.0
