import pytest

from build.errors import InputError
from build.fetch.options import FetchOptions


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"pace_per_hour": 0.0}, "--pace 0: allowed is more than 0"),
        ({"pace_per_hour": -5.0}, "--pace -5: allowed is more than 0"),
        ({"pace_per_hour": float("nan")}, "--pace nan: allowed is more than 0"),
        ({"connections": 0}, "at least one"),
        ({"cookies_from_browser": "firefox", "cookies": "x"}, "give one of the two"),
    ],
)
def test_what_no_run_can_do_is_refused(given, reason):
    with pytest.raises(InputError, match=reason):
        FetchOptions(**given)


def test_a_cookies_file_must_be_there(tmp_path):
    with pytest.raises(InputError, match=r"--cookies .*nosuch\.txt: there is no such file"):
        FetchOptions(cookies=tmp_path / "nosuch.txt")


def test_options_are_written_back_as_arguments_without_passwords():
    options = FetchOptions(
        mode="recheck",
        only=("a", "-b"),
        pace_per_hour=120.0,
        proxy="http://me:hunter2@proxy:3128",
        player_client=("web", "tv"),
        max_bytes=50_000_000,
        max_duration_s=600.0,
    )
    assert options.arguments() == [
        *("--mode", "recheck", "--only", "a,-b", "--pace", "120", "--proxy", "http://***@proxy:3128"),
        *("--player-client", "web,tv", "--max-mb", "50", "--max-minutes", "10"),
    ]
    assert FetchOptions().arguments() == []
