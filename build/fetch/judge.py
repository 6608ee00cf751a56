"""What an outcome means: for its song, and for the run as a whole."""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from build.errors import RunError
from build.fetch.breaker import Rest, Streak
from build.fetch.download import Outcome
from build.fetch.journal import Attempt, Journal
from build.fetch.pace import Clock
from build.fetch.plan import PATIENCE_S
from build.fetch.states import LOCAL_SITE, wait_s
from build.fetch.taxonomy import Status, statuses
from build.fetch.urls import YOUTUBE, Target
from build.progress import Advance

ENVIRONMENT_STREAK = 3  # failures of class environment in a row: it is the machine and not the videos

log = logging.getLogger(__name__)


@dataclass(order=True)
class Song:
    """A song that is to be fetched: it may start `at`; `tries` counts its failures so far by status."""

    at: float
    order: int
    target: Target = field(compare=False)
    tries: Counter[str] = field(compare=False, default_factory=Counter)


@dataclass(frozen=True)
class Surroundings:
    """What a judge asks of the run: `probe()` whether YouTube still answers for what is known to be good,
    `diagnosis()` what this machine lacks, `again(song)` to queue a song, `keep(rest)` to remember a rest.
    """

    probe: Callable[[], bool]
    diagnosis: Callable[[], str]
    again: Callable[[Song], None]
    advance: Advance
    keep: Callable[[Rest], None]


@dataclass(frozen=True)
class _Failure:
    number: int
    song: Song
    status: str


class Judge:
    """Writes every outcome into the journal and draws the consequences."""

    def __init__(self, journal: Journal, clock: Clock, rest: Rest, surroundings: Surroundings) -> None:
        self._journal, self._clock, self._rest, self._run = journal, clock, rest, surroundings
        self._streak: Streak[_Failure] = Streak()
        self._environment: list[int] = []

    def judge(self, song: Song, outcome: Outcome, seconds: float) -> None:
        """Act on an attempt that took `seconds`. Raises RunError where the run must stop."""
        status = statuses()[outcome.status]
        number = self.note(song.target, outcome, seconds)
        if status.policy == "stop":
            raise RunError(f"{status.meaning}. It said: {outcome.message}. What helps: {status.advice}")
        if status.policy == "pause":
            self._take_rest(song.target.site, status, outcome)
            self._queue_after_rest(song)
        elif status.policy == "done":
            self._had(song.target.site)
        else:
            self._failed(song, status, outcome, number)

    def note(self, target: Target, outcome: Outcome, seconds: float) -> int:
        """Write an attempt into the journal and return its number."""
        kept = {name: value for name, value in vars(outcome).items() if name not in ("path", "retry_after_s")}
        attempt = Attempt(
            target.key,
            target.song_id,
            self._clock.now(),
            counts=int(statuses()[outcome.status].about_song),
            seconds=round(seconds, 3),
            site=target.site,
            path=outcome.path.name if outcome.path else None,
            **kept,
        )
        return self._journal.add(attempt)

    def _had(self, site: str) -> None:
        self._answered(site)
        if site == YOUTUBE:
            self._streak.answered()
            self._environment.clear()
        self._run.advance(True)

    def _answered(self, site: str) -> None:
        if self._rest.count:
            self._rest.answered(site)
            self._run.keep(self._rest)

    def _failed(self, song: Song, status: Status, outcome: Outcome, number: int) -> None:
        song.tries[status.name] += 1
        tries = song.tries[status.name]
        again_in_s = max(wait_s(status, tries, song.target.key), outcome.retry_after_s or 0.0)
        more = status.policy == "retry" and tries < status.attempts and song.target.site != LOCAL_SITE
        if more and again_in_s <= PATIENCE_S:
            song.at = self._clock.now() + again_in_s
            self._run.again(song)
        else:
            self._run.advance(False)
        if song.target.site == YOUTUBE:
            self._check_environment(status, number)
            self._suspect(_Failure(number, song, status.name))
        else:
            self._answered(song.target.site)

    def _check_environment(self, status: Status, number: int) -> None:
        if status.name != "environment":
            self._environment.clear()
            return
        self._environment.append(number)
        if len(self._environment) >= ENVIRONMENT_STREAK:
            self._journal.void(self._environment)
            raise RunError(f"{status.meaning}: {self._run.diagnosis()}. What helps: {status.advice}")

    def _suspect(self, failure: _Failure) -> None:
        """After a streak of failures try what is known to be good; if that fails too, the streak says nothing."""
        if not (streak := self._streak.failed(failure)):
            return
        if self._run.probe():
            self._answered(YOUTUBE)
            return
        self._journal.void(one.number for one in streak)
        for one in streak:
            one.song.tries[one.status] -= 1
        self._take_rest(YOUTUBE, statuses()["ip_block"], Outcome("ip_block", f"{len(streak)} failures in a row"))
        for one in streak:
            self._queue_after_rest(one.song)

    def _take_rest(self, site: str, status: Status, outcome: Outcome) -> None:
        now = self._clock.now()
        if not self._rest.left_s(now):
            self._rest.begin(site, now, status.wait_s, outcome.retry_after_s)
            self._run.keep(self._rest)
            log.warning("%s: resting for %.0f minutes", status.meaning, self._rest.left_s(now) / 60)
        if self._rest.given_up():
            raise RunError(
                f"{status.meaning}; it still does after several rests. "
                f"It said: {outcome.message}. What helps: {status.advice}"
            )

    def _queue_after_rest(self, song: Song) -> None:
        song.at = max(song.at, self._rest.until)
        self._run.again(song)
