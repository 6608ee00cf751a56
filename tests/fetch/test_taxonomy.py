import csv
import errno

import pytest
from yt_dlp.networking.exceptions import TransportError
from yt_dlp.utils import DownloadError, ExtractorError, GeoRestrictedError

from build.fetch.taxonomy import POLICIES, STATES, class_names, classify, comparable, disk_failed, readable, statuses
from build.workspace import METADATA

REPORT = (
    "; please report this issue on  https://github.com/yt-dlp/yt-dlp/issues?q= , filling out the appropriate issue "
    "template. Confirm you are on the latest version using  yt-dlp -U"
)
SAID = [
    ("rate_limit", "Video unavailable. This content isn't available, try again later."),
    (
        "rate_limit",
        "Video unavailable. This content isn't available, try again later. The current session has been rate-limited "
        "by YouTube for up to an hour. It is recommended to use `-t sleep` to add a delay between video requests",
    ),
    ("ip_block", "Unable to download API page: HTTP Error 429: Too Many Requests (caused by <HTTPError 429>)"),
    (
        "bot_check",
        "Sign in to confirm you're not a bot. Use --cookies-from-browser or --cookies for the authentication",
    ),
    ("bot_check", "YouTube is requiring a captcha challenge before playback"),
    ("ip_block", "All player responses are invalid. Your IP is likely being blocked by Youtube"),
    ("environment", "Requested format is not available. Use --list-formats for a list of available formats"),
    ("environment", "No supported JavaScript runtime could be found. Only deno is enabled by default"),
    ("environment", "n challenge solving failed: Some formats may be missing"),
    ("environment", "Only images are available for download. use --list-formats to see them"),
    ("age_restricted", "Sign in to confirm your age. This video may be inappropriate for some users."),
    ("geo_blocked", "The uploader has not made this video available in your country"),
    ("geo_blocked", "The uploader has not made this video available in your country, sorry"),
    (
        "geo_blocked",
        "Video unavailable. This video contains content from SME, "
        "who has blocked it in your country on copyright grounds",
    ),
    ("geo_blocked", "Video unavailable. This video is not available from your location"),
    ("private", "Private video. Sign in if you've been granted access to this video"),
    ("private", "This video is private"),
    (
        "members_only",
        "Join this channel to get access to members-only content like this video, and other exclusive perks.",
    ),
    ("members_only", "This video is only available to Music Premium members"),
    (
        "removed",
        "Video unavailable. This video is no longer available because the YouTube account associated with this video "
        "has been terminated.",
    ),
    ("removed", "Video unavailable. This video has been removed by the uploader"),
    ("removed", "This video has been removed for violating YouTube's Terms of Service"),
    ("removed", "Video unavailable. This video is no longer available due to a copyright claim by X"),
    ("drm", "This video is DRM protected"),
    ("upcoming", "Premieres in 3 days"),
    ("upcoming", "This live event will begin in a few moments."),
    ("forbidden", "unable to download video data: HTTP Error 403: Forbidden"),
    ("upcoming", "We're processing this video. Check back later."),
    ("forbidden", "Server returned 403 Forbidden (access denied)"),
    ("forbidden", "ffmpeg exited with code 1"),
    ("empty", "The downloaded file is empty"),
    ("truncated", "Downloaded 1024 bytes, expected 4096 bytes: content too short"),
    ("truncated", "Downloaded 1024 bytes, expected 4096 bytes"),
    ("bad_url", "Unsupported URL: https://www.youtube.com/about"),
    ("bad_redirect", 'Unsupported url scheme: "file"'),
    ("bad_url", "Incomplete YouTube ID nan. URL https://www.youtube.com/watch?v=nan looks truncated."),
    ("unavailable", "Video unavailable"),
    ("unavailable", "Video unavailable. This video isn't available anymore"),
    ("unavailable", "This video is no longer available"),
    ("network", "Unable to download webpage: [Errno -2] Name or service not known (caused by TransportError('...'))"),
    ("timeout", "Unable to download webpage: The read operation timed out (caused by TransportError('...'))"),
    ("server_error", "Unable to download webpage: HTTP Error 503: Service Unavailable (caused by <HTTPError 503>)"),
    ("unknown", "Something that nobody has seen before"),
]


def as_printed(message: str, form: str) -> str:
    """A message as it reaches us: bare, with YouTube's own apostrophe, with a prefix and a request, in colour."""
    return {
        "bare": message,
        "typographic": message.replace("'", "’"),
        "prefixed": f"ERROR: [youtube] dQw4w9WgXcQ: {message}{REPORT}",
        "coloured": f"\x1b[0;31mERROR:\x1b[0m [youtube] dQw4w9WgXcQ: {message.upper()}",
    }[form]


@pytest.mark.parametrize("form", ["bare", "typographic", "prefixed", "coloured"])
@pytest.mark.parametrize(("status", "message"), SAID)
def test_what_the_site_says_means_one_status_in_whatever_form_it_comes(status, message, form):
    assert classify(as_printed(message, form)) == status


def test_words_in_the_request_to_report_do_not_count():
    assert classify("Strange" + REPORT + " copyright captcha") == "unknown"


def test_a_geo_block_is_known_by_its_class_where_the_words_are_new():
    assert classify("Nothing here for you", class_names(GeoRestrictedError("Nothing here for you"))) == "geo_blocked"


def test_classes_are_found_behind_yt_dlps_own_wrapping():
    cause = TransportError("odd")
    error = DownloadError("ERROR: odd", exc_info=(ExtractorError, ExtractorError("odd", cause=cause), None))
    assert {"ExtractorError", "TransportError", "YoutubeDLError"} <= class_names(error)
    assert classify("odd", class_names(error)) == "network"


@pytest.mark.parametrize("said", ["captcha", "Sign in to confirm you're not a bot", "Private video", "Premieres in"])
def test_what_youtube_says_means_nothing_from_another_host(said):
    assert classify(f"HTTP Error 404: {said}", site="music.example") == "not_found"


def test_a_limit_is_a_limit_on_any_host():
    assert classify("HTTP Error 429: Too Many Requests", site="music.example") == "ip_block"


def test_a_full_disk_is_known_by_its_number_and_not_by_words():
    full = OSError(errno.ENOSPC, "words in any language")
    assert disk_failed(DownloadError("ERROR: unable to write data", exc_info=(OSError, full, None)))
    assert not disk_failed(DownloadError("HTTP Error 404: No space left on device"))
    assert disk_failed(PermissionError(errno.EACCES, "no", "audio"))
    assert not disk_failed(PermissionError(errno.EACCES, "no: a socket's"))
    assert not disk_failed(ConnectionResetError(errno.ECONNRESET, "reset"))


def test_an_unknown_message_is_kept_word_for_word():
    assert (
        readable("\x1b[0;31mERROR:\x1b[0m Odd,  but\nTRUE: «ça», it’s" + REPORT) == "ERROR: Odd, but TRUE: «ça», it’s"
    )


def test_every_rule_names_a_status_of_the_closed_list_in_the_form_that_messages_are_compared_in():
    with open(METADATA / "fetch_errors.csv", encoding="utf-8", newline="") as file:
        rules = list(csv.DictReader(file))
    assert {rule["status"] for rule in rules} <= statuses().keys()
    assert all(rule["pattern"] == comparable(rule["pattern"]) for rule in rules)
    assert all(rule["pattern"] or rule["exception"] for rule in rules)


def test_every_status_has_a_policy_a_state_and_a_meaning():
    for status in statuses().values():
        assert status.policy in POLICIES
        assert status.state in STATES
        assert status.meaning
        assert (status.attempts > 1) == (status.policy == "retry")
        assert (status.wait_s > 0) == (status.policy in ("retry", "pause"))


def test_what_the_run_waits_or_stops_for_says_nothing_about_a_song():
    quiet = {name for name, status in statuses().items() if not status.about_song}
    assert quiet == {"not_fetched", "rate_limit", "ip_block", "bot_check", "disk"}
