"""Where a song stands, from its attempts alone (pure): so a killed run and an undisturbed one leave the same states."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from build.fetch.journal import Attempt
from build.fetch.taxonomy import Status, statuses

LOCAL_SITE = ""  # a file of the source folder: it does not get better by waiting
JITTER = 0.25  # a wait is drawn from 1 +- this, so that songs which failed together do not come back together


@dataclass(frozen=True)
class Standing:
    """A song's state (see `taxonomy.STATES`), the attempt that decided it, and when it may be asked for again."""

    state: str
    last: Attempt | None = None
    tries: int = 0
    next_at: float | None = None

    @property
    def status(self) -> str:
        """The status that reaches the published row."""
        return self.last.status if self.last else "not_fetched"


UNTRIED = Standing("untried")


def standing(attempts: Sequence[Attempt]) -> Standing:
    """The standing of a song with these attempts, oldest first; those that say nothing about it are passed over."""
    telling = [attempt for attempt in attempts if attempt.counts]
    if not telling:
        return UNTRIED
    last, status = telling[-1], statuses()[telling[-1].status]
    count = tries(telling)[last.status]
    if status.policy == "retry" and count < status.attempts and last.site != LOCAL_SITE:
        return Standing("retry", last, count, last.at + wait_s(status, count, last.key))
    return Standing(status.state, last, count)


def tries(attempts: Iterable[Attempt]) -> Counter[str]:
    """How often a song failed since it was last had, by status."""
    counts: Counter[str] = Counter()
    for attempt in attempts:
        if attempt.status == "ok":
            counts.clear()
        elif attempt.counts:
            counts[attempt.status] += 1
    return counts


def wait_s(status: Status, count: int, key: str) -> float:
    """Seconds from the `count`-th failure to the next attempt: doubled each time, and spread by the song's key."""
    draw = int(hashlib.sha256(f"{key}{count}".encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
    return status.wait_s * 2 ** (count - 1) * (1 + JITTER * (2 * draw - 1))
