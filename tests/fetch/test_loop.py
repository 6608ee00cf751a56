"""Whose turn it is, with doers that do as they are told."""

import threading

import pytest

from build.errors import RunError
from build.fetch.breaker import Rest
from build.fetch.download import Outcome
from build.fetch.judge import Song
from build.fetch.loop import Lane, Loop
from build.fetch.pace import TokenBucket
from build.fetch.urls import target_of
from tests.fetch.clock import FastClock


class Doing:
    """A doer that answers at once, or, told to wait, when it is called off."""

    def __init__(self, answer: str = "ok", waits: bool = False) -> None:
        self.answer, self.asked = answer, []
        self.called_off = threading.Event()
        if not waits:
            self.called_off.set()

    def fetch(self, target, url) -> Outcome:
        self.asked.append(url)
        self.called_off.wait(30)
        return Outcome(self.answer)

    def call_off(self) -> None:
        self.called_off.set()


class Judging:
    """A judge that notes everything, and stops the run when it is told to."""

    def __init__(self, stops: bool = False) -> None:
        self.stops, self.judged, self.noted = stops, [], []

    def judge(self, song, outcome, seconds) -> None:
        self.judged.append(song.target.song_id)
        if self.stops:
            raise RunError("enough")

    def note(self, target, outcome, seconds) -> None:
        self.noted.append((target.song_id, outcome.status))


def songs(*song_ids: str, at: float = 0.0) -> list[Song]:
    return [Song(at, order, target_of(song_id, f"{song_id}.wav")) for order, song_id in enumerate(song_ids)]


def loop(*free: Doing, clock: FastClock | None = None, limit_s: float = 60.0) -> Loop:
    return Loop(Lane([Doing()]), Lane(list(free)), Rest(), clock or FastClock(), "http://h/", limit_s)


def test_every_song_is_asked_for_once_in_order():
    doer, judge = Doing(), Judging()
    loop(doer).run(songs("a", "b", "c"), judge)
    assert doer.asked == ["http://h/a.wav", "http://h/b.wav", "http://h/c.wav"]
    assert judge.judged == ["a", "b", "c"]


def test_a_song_waits_for_its_time():
    clock = FastClock(1000.0)
    loop(Doing(), clock=clock).run(songs("a", at=1090.0), Judging())
    assert 1090.0 <= clock.now() < 1091.0


@pytest.mark.parametrize(("answer", "noted"), [("ok", [("slow", "ok")]), ("timeout", [])])
def test_a_run_that_is_stopped_keeps_what_comes_in_whole_and_nothing_else(answer, noted):
    slow, quick, judge = Doing(answer, waits=True), Doing("bot_check"), Judging(stops=True)
    with pytest.raises(RunError, match="enough"):
        loop(quick, slow).run(songs("slow", "quick"), judge)
    assert slow.called_off.is_set()
    assert judge.judged == ["quick"]
    assert judge.noted == noted


def test_a_song_over_its_limit_is_called_off():
    slow, judge = Doing("timeout", waits=True), Judging()
    loop(slow, limit_s=0.1).run(songs("a"), judge)
    assert slow.called_off.is_set()
    assert judge.judged == ["a"]


def test_a_song_that_comes_back_twice_is_asked_for_once_more():
    class Twice(Judging):
        def judge(self, song, outcome, seconds) -> None:
            super().judge(song, outcome, seconds)
            if len(self.judged) == 1:
                made.again(song)
                made.again(song)

    doer, judge = Doing(), Twice()
    made = loop(doer)
    made.run(songs("a"), judge)
    assert judge.judged == ["a", "a"]


def test_a_lane_opens_when_song_doer_and_pace_are_ready():
    lane = Lane([Doing()], TokenBucket(3600.0, 0.0, filled=0.0), songs("a", at=5.0))
    assert lane.opens_in_s(0.0) == 5.0
    assert lane.opens_in_s(5.0) == 0.0
    assert Lane([], None, songs("a")).opens_in_s(0.0) == float("inf")
    assert Lane([Doing()]).opens_in_s(0.0) == float("inf")
