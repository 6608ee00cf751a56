"""The loop of a run: whose turn it is.

It runs in one thread, which alone decides and writes the journal; doers work in others, one song each. YouTube's songs
go one at a time and at the run's pace, those of other hosts several at a time.
"""

import heapq
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from build.fetch.breaker import Rest
from build.fetch.download import Doer, Outcome
from build.fetch.judge import Judge, Song
from build.fetch.pace import Clock, TokenBucket
from build.fetch.urls import YOUTUBE, Target, address

NAP_S = 30.0  # longest sleep at a time: after a machine was itself asleep, the time is looked at again soon
SHORTEST_NAP_S = 0.001  # a clock that counts from 1970 cannot tell much less
GLANCE_S = 0.25  # how often the attempts in flight are looked at for one that takes too long


@dataclass
class Lane:
    """Songs that share doers, and a token bucket where they share a pace."""

    idle: list[Doer]
    bucket: TokenBucket | None = None
    queue: list[Song] = field(default_factory=list)

    def opens_in_s(self, now: float) -> float:
        """Seconds until the next song may start; infinite while there is none or all doers are busy."""
        if not (self.queue and self.idle):
            return float("inf")
        return max(self.queue[0].at - now, self.bucket.wait_s(now) if self.bucket else 0.0, 0.0)


@dataclass(frozen=True)
class _Flight:
    song: Song
    lane: Lane
    doer: Doer
    began_s: float

    @property
    def seconds(self) -> float:
        """How long it has been in the air, of the machine's own time: connections know no other."""
        return time.monotonic() - self.began_s


class Loop:
    """Songs in two lanes, `paced` for YouTube's and `free` for all others; a song is queued or in flight, not both."""

    def __init__(self, paced: Lane, free: Lane, rest: Rest, clock: Clock, folder_url: str, limit_s: float) -> None:
        self._paced, self._free = paced, free
        self._rest, self._clock = rest, clock
        self._folder_url, self._limit_s = folder_url, limit_s
        self._flights: dict[Future[Outcome], _Flight] = {}

    def again(self, song: Song) -> None:
        """Queue a song, unless it is queued or in flight."""
        queue = self._lane(song.target).queue
        if not any(one is song for one in queue) and not any(one.song is song for one in self._flights.values()):
            heapq.heappush(queue, song)

    def run(self, songs: list[Song], judge: Judge) -> None:
        """Fetch all of `songs`, as far as this run can. Raises RunError where `judge` stops it."""
        for lane in (self._paced, self._free):
            lane.queue[:] = sorted(song for song in songs if self._lane(song.target) is lane)
        with ThreadPoolExecutor(len(self._paced.idle) + len(self._free.idle)) as pool:
            try:
                while self._flights or self._paced.queue or self._free.queue:
                    self._start(pool)
                    self._pass_time(judge)
            finally:
                self._end(pool, judge)

    def _lane(self, target: Target) -> Lane:
        return self._paced if target.site == YOUTUBE else self._free

    def _start(self, pool: ThreadPoolExecutor) -> None:
        now = self._clock.now()
        for lane in (self._paced, self._free):
            while not self._wait_s(lane, now):
                song, doer = heapq.heappop(lane.queue), lane.idle.pop()
                if lane.bucket:
                    lane.bucket.take(now)
                future = pool.submit(doer.fetch, song.target, address(song.target, self._folder_url))
                self._flights[future] = _Flight(song, lane, doer, time.monotonic())

    def _wait_s(self, lane: Lane, now: float) -> float:
        """Seconds until `lane` may start a song; after a rest one song goes alone, until it is answered."""
        if self._rest.count and self._flights:
            return float("inf")
        return max(self._rest.left_s(now), lane.opens_in_s(now))

    def _pass_time(self, judge: Judge) -> None:
        if not self._flights:
            now = self._clock.now()
            wait_s = min(self._wait_s(self._paced, now), self._wait_s(self._free, now))
            self._clock.sleep(min(max(wait_s, SHORTEST_NAP_S), NAP_S))
            return
        done, _ = wait(self._flights, timeout=GLANCE_S, return_when=FIRST_COMPLETED)
        for future in done:
            flight = self._flights.pop(future)
            flight.lane.idle.append(flight.doer)
            judge.judge(flight.song, future.result(), flight.seconds)
        for flight in self._flights.values():
            if flight.seconds > self._limit_s:
                flight.doer.call_off()

    def _end(self, pool: ThreadPoolExecutor, judge: Judge) -> None:
        """Break off what is still in flight when the run is stopped, and keep what was had by then."""
        for flight in self._flights.values():
            flight.doer.call_off()
        pool.shutdown(cancel_futures=True)
        for future, flight in self._flights.items():
            if not future.cancelled() and future.result().status == "ok":
                judge.note(flight.song.target, future.result(), flight.seconds)
