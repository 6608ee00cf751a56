"""When the run as a whole must rest or stop, whatever single songs say (pure: time and outcomes are handed in)."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from build.fetch.urls import YOUTUBE

STREAK = 5  # failures in a row after which the site itself is suspected
RESTS = 4  # rests in a row, without an answer between them, after which the run gives up for now
LONGEST_REST_S = 6 * 3600.0  # whatever a server's Retry-After asks for
CONNECTION_STATUSES = ("network", "timeout")


T = TypeVar("T")


def suspicious(site: str, status: str) -> bool:
    """Whether a failure may be the site's way to say "enough": on YouTube any, elsewhere only broken connections."""
    return site == YOUTUBE or status in CONNECTION_STATUSES


class Streaks(Generic[T]):
    """Suspicious failures in a row, by site: a limit can look like empty files, refusals or missing videos."""

    def __init__(self) -> None:
        self._items: dict[str, list[T]] = {}

    def failed(self, site: str, item: T) -> list[T]:
        """Note a failure. Returns the streak, which is then over, once it is long enough to suspect the site."""
        streak = self._items.setdefault(site, [])
        streak.append(item)
        return self._items.pop(site) if len(streak) >= STREAK else []

    def answered(self, site: str) -> None:
        """A song was had: the site is fine."""
        self._items.pop(site, None)


@dataclass
class Rest:
    """The rests of a run: each twice as long as the last, until the `site` that asked for it has answered again."""

    until: float = 0.0
    count: int = 0
    site: str = ""

    def begin(self, site: str, now: float, wait_s: float, retry_after_s: float | None = None) -> None:
        """Rest for what the server asks, or else for `wait_s`. What comes in while the run rests changes nothing."""
        if self.left_s(now):
            return
        base_s = wait_s if retry_after_s is None else retry_after_s
        self.until = now + min(base_s * 2**self.count, LONGEST_REST_S)
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
