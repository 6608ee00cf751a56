from build.fetch.journal import Attempt
from build.fetch.status import last_word, song_statuses, summary
from build.fetch.urls import target_of
from tests.fetch.songlist import song_table
from tests.fetch.youtube import video_id

NOW = 1_800_000_000.0


def attempt(number: int, status: str, ago_s: float, site: str = "youtube") -> Attempt:
    return Attempt(target_of(video_id(number), None).key, video_id(number), NOW - ago_s, status, site=site)


ATTEMPTS = [
    attempt(0, "ok", 7200.0),
    attempt(1, "ok", 60.0),
    attempt(2, "private", 50.0),
    attempt(3, "geo_blocked", 40.0),
    attempt(4, "unavailable", 30.0),
    *[attempt(5, "network", 20.0)] * 4,
]


def statuses():
    songs = song_table({**{video_id(n): None for n in range(8)}, "bad": "https://www.youtube.com/watch?v="})
    by_key: dict[str, list[Attempt]] = {}
    for one in ATTEMPTS:
        by_key.setdefault(one.key, []).append(one)
    return song_statuses(songs, by_key)


def test_songs_are_counted_by_state_status_and_country():
    found = summary(statuses(), ATTEMPTS, 250.0, 0.0, NOW)
    states = {"blocked": 1, "failed": 1, "gone": 1, "had": 2, "refused": 1, "retry": 1, "untried": 2}
    assert (found["songs"], found["states"], found["countries"]) == (9, states, {"NA": states})
    assert found["statuses"]["not_fetched"] == 2
    assert found["statuses"]["bad_url"] == 1


def test_the_pace_the_time_left_and_the_next_try_are_told():
    found = summary(statuses(), ATTEMPTS, 100.0, NOW + 600, NOW)
    assert found["asked_last_hour"] == 8
    assert found["seconds_left"] == 3 * 36
    assert found["resting_until"] == "2027-01-15T08:10:00Z"
    assert "2027-01-15T" < found["next_try_at"] < "2027-01-17T"


def test_a_rest_that_is_over_is_not_told():
    assert summary(statuses(), ATTEMPTS, 100.0, NOW - 1, NOW)["resting_until"] is None


def test_songs_that_a_better_url_would_help_are_listed():
    found = summary(statuses(), ATTEMPTS, 250.0, 0.0, NOW)["better_url_would_help"]
    assert [(song["song_id"], song["status"]) for song in found] == [
        (video_id(2), "private"),
        (video_id(3), "geo_blocked"),
    ]


def test_the_last_word_tells_what_is_had_gone_blocked_and_to_retry_and_how_to_go_on():
    said = last_word(statuses(), "python -m build fetch")
    assert said.startswith(
        "2 of 9 songs are had; 1 gone, 1 blocked here, 1 refused, 1 failed, 1 to retry, 2 not asked for yet"
    )
    assert said.endswith("To go on: python -m build fetch")


def test_the_last_word_offers_to_try_failures_again_when_nothing_else_is_left():
    left = [song for song in statuses() if song.state in ("had", "gone", "failed")]
    assert last_word(left, "CMD") == (
        "2 of 4 songs are had; 1 gone, 0 blocked here, 1 failed, 0 to retry. "
        "To try the failed ones again: CMD --mode retry-failed"
    )


def test_where_all_is_had_there_is_nothing_to_go_on_with():
    had = [song for song in statuses() if song.state == "had"]
    assert last_word(had, "CMD") == "2 of 2 songs are had; 0 gone, 0 blocked here, 0 to retry."
