from itertools import pairwise

import pytest

from build.fetch.pace import BURST, Gap, TokenBucket
from tests.fetch.clock import FastClock


def takes(bucket: TokenBucket, clock: FastClock, seconds: float) -> list[float]:
    """When songs may be asked for in `seconds`, by a run that always has a next one."""
    begun, times = clock.now(), []
    while True:
        clock.sleep(max(bucket.wait_s(clock.now()), 1e-3))
        if clock.now() - begun > seconds:
            return times
        if not bucket.wait_s(clock.now()):
            bucket.take(clock.now())
            times.append(clock.now() - begun)


@pytest.mark.parametrize("per_hour", [60.0, 250.0, 1000.0])
def test_a_day_at_a_pace_of_n_gives_24_n_within_2_percent(per_hour):
    clock = FastClock()
    times = takes(TokenBucket(per_hour, clock.now()), clock, 86_400.0)
    assert len(times) == pytest.approx(24 * per_hour, rel=0.02)


def test_there_is_never_a_burst_above_the_size():
    clock = FastClock()
    times = takes(TokenBucket(250.0, clock.now()), clock, 86_400.0)
    for width_s in (1.0, 60.0, 600.0, 3600.0):
        most = max(sum(time <= other < time + width_s for other in times[:600]) for time in times[:300])
        assert most <= BURST + width_s * 250.0 / 3600.0 + 1e-6


def test_a_long_rest_saves_up_no_more_than_the_size():
    clock = FastClock()
    bucket = TokenBucket(250.0, clock.now())
    clock.sleep(86_400.0)
    free = 0
    while not bucket.wait_s(clock.now()):
        bucket.take(clock.now())
        free += 1
    assert free == BURST


def test_a_clock_that_is_set_back_gives_nothing_away():
    bucket = TokenBucket(3600.0, 1000.0, filled=0.0)
    assert bucket.wait_s(500.0) == pytest.approx(1.0)
    assert bucket.wait_s(501.0) == 0.0


def test_a_bucket_can_begin_as_an_earlier_run_left_it():
    assert TokenBucket(3600.0, 0.0, filled=0.25).wait_s(0.0) == pytest.approx(0.75)


def test_a_gap_lies_between_one_request_and_the_next_and_varies():
    clock = FastClock()
    gap = Gap((5.0, 10.0), clock)
    times = []
    for _ in range(100):
        gap.keep()
        times.append(clock.now())
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) >= 5.0
    assert max(gaps) <= 10.0
    assert max(gaps) - min(gaps) > 3.0


def test_a_gap_that_is_over_is_not_waited_for_again():
    clock = FastClock()
    gap = Gap((5.0, 10.0), clock)
    gap.keep()
    clock.sleep(60.0)
    gap.keep()
    assert clock.slept == [60.0]
