import pytest

from build.fetch.journal import Attempt
from build.fetch.states import JITTER, standing, tries, wait_s
from build.fetch.taxonomy import statuses


def attempts(*names: str, every_s: float = 10.0) -> list[Attempt]:
    return [
        Attempt("key", "song", 1000.0 + every_s * n, name, counts=int(statuses()[name].about_song))
        for n, name in enumerate(names)
    ]


@pytest.mark.parametrize(
    ("names", "state"),
    [
        ((), "untried"),
        (("ok",), "had"),
        (("private",), "gone"),
        (("geo_blocked",), "blocked"),
        (("too_long",), "refused"),
        (("network",), "retry"),
        (("network",) * 3, "retry"),
        (("network",) * 4, "failed"),
        (("forbidden",) * 3, "blocked"),
        (("unavailable",), "retry"),
        (("unavailable",) * 2, "gone"),
        (("network", "ok"), "had"),
        (("ok", "private"), "gone"),
    ],
)
def test_the_last_answer_and_its_number_decide_the_state(names, state):
    assert standing(attempts(*names)).state == state


@pytest.mark.parametrize("limit", ["rate_limit", "ip_block", "bot_check", "disk"])
def test_limits_change_no_songs_state(limit):
    assert standing(attempts(limit)).state == "untried"
    assert standing(attempts("ok", limit)).state == "had"
    assert standing(attempts(*[limit] * 9, "network", *[limit] * 9)).tries == 1


def test_the_tries_of_a_status_start_anew_once_the_song_was_had():
    assert tries(attempts("network", "timeout", "network", "ok", "network")) == {"network": 1}


def test_waits_double_and_stay_within_their_spread():
    status = statuses()["network"]
    for number in (1, 2, 3):
        waits = [wait_s(status, number, f"song {n}") for n in range(200)]
        base = status.wait_s * 2 ** (number - 1)
        assert base * (1 - JITTER) <= min(waits) < base < max(waits) <= base * (1 + JITTER)


def test_a_song_without_more_said_is_asked_again_on_another_day():
    found = standing(attempts("unavailable"))
    assert found.next_at is not None
    assert 0.75 * 86400 <= found.next_at - 1000.0 <= 1.25 * 86400
