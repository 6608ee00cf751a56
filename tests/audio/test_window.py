"""Where excerpts start."""

import numpy as np
import pytest

from build.audio.status import UnusableError
from build.audio.window import WindowRequest, choose

RATE_HZ = 48_000
LENGTH = 15 * RATE_HZ


def test_start_is_drawn_from_the_hash_of_seed_and_song():
    # sha256("0\0abc") = 0x5b75be63...: 0x5b75be63 / 2**32 = 0.357265; times 10 s of room.
    import hashlib

    digest = hashlib.sha256(b"0\0abc").hexdigest()
    fraction = int(digest[:13], 16) / 16**13
    window = choose(WindowRequest("abc", 0), LENGTH + 480_000, RATE_HZ)
    assert window.kind == "drawn"
    assert window.start_sample == int(fraction * 480_001)
    assert window.start_s == window.start_sample / RATE_HZ


def test_draws_are_uniform_over_all_positions_that_fit():
    starts = [choose(WindowRequest(f"song {n}", 1), LENGTH + 9, RATE_HZ).start_sample for n in range(20_000)]
    counts = np.bincount(starts, minlength=10)
    assert len(counts) == 10
    assert np.sum((counts - 2_000) ** 2 / 2_000) < 27.9  # chi-squared, 9 degrees of freedom, p = 0.001


def test_another_seed_draws_another_start():
    starts = {choose(WindowRequest("abc", seed), LENGTH + 480_000, RATE_HZ).start_sample for seed in range(5)}
    assert len(starts) == 5


def test_exactly_fifteen_seconds_leave_one_position():
    assert choose(WindowRequest("abc", 0), LENGTH, RATE_HZ).start_sample == 0


def test_one_sample_more_leaves_two_positions():
    starts = {choose(WindowRequest(str(n), 0), LENGTH + 1, RATE_HZ).start_sample for n in range(50)}
    assert starts == {0, 1}


def test_one_sample_less_is_too_short():
    with pytest.raises(UnusableError, match=r"too_short.*15\.000 s, an excerpt 15 s") as caught:
        choose(WindowRequest("abc", 0), LENGTH - 1, RATE_HZ)
    assert caught.value.status == "too_short"


def test_published_start_wins_over_a_replayed_one():
    window = choose(WindowRequest("abc", 0, published_s=2.5, replayed_s=7.0), LENGTH * 2, RATE_HZ)
    assert (window.kind, window.start_sample, window.start_s) == ("published", 120_000, 2.5)


def test_replayed_start_comes_back_on_the_same_sample():
    drawn = choose(WindowRequest("abc", 0), 9_436_113, 44_100)
    replayed = choose(WindowRequest("abc", 5, replayed_s=drawn.start_s), 9_436_113, 44_100)
    assert replayed.kind == "replayed"
    assert (replayed.start_sample, replayed.start_s) == (drawn.start_sample, drawn.start_s)


@pytest.mark.parametrize("start_s", [-0.1, 15.001, float("nan"), float("inf")])
def test_given_start_that_does_not_fit_is_refused(start_s):
    with pytest.raises(UnusableError, match=r"the published window starts at .* allows 0 to 15\.000 s") as caught:
        choose(WindowRequest("abc", 0, published_s=start_s), LENGTH * 2, RATE_HZ)
    assert caught.value.status == "outside_track"
