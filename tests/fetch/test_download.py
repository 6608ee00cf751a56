"""The real yt-dlp against a server that misbehaves in every way; nothing of ours is replaced."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yt_dlp.globals import extractors

from build.fetch.download import Doer, Outcome, seconds_until
from build.fetch.options import FetchOptions
from build.fetch.urls import target_of
from build.files import sha256_of
from build.workspace import REPOSITORY
from tests.fetch.site import site, tone
from tests.fetch.youtube import YoutubeIE, says, stand_in, video_id

OPTIONS = FetchOptions(max_bytes=2_000_000)


@pytest.fixture
def server():
    with site() as running:
        yield running


@pytest.fixture
def doer(tmp_path):
    (tmp_path / "audio").mkdir()
    made = Doer(OPTIONS, tmp_path / "audio", tmp_path / "partial")
    yield made
    made.close()


def fetched(doer, url: str) -> Outcome:
    return doer.fetch(target_of("song", url), url)


def called_off(doer, server, url: str) -> Outcome:
    """The outcome of a song that is called off once the server has been asked for it."""
    with ThreadPoolExecutor(1) as pool:
        before = server.hits.total()
        fetching = pool.submit(fetched, doer, url)
        server.wait_for(before + 1)
        doer.call_off()
        try:
            return fetching.result(timeout=30)
        finally:
            server.closing.set()  # ends an answer that was not broken off


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        ("html", "not_audio", "a web page came"),
        ("text", "not_audio", "does not decode"),
        ("empty", "empty", "Did not get any data blocks"),
        ("truncated", "truncated", "9000 bytes read, 7044 more expected"),
        ("short", "truncated", "9000 bytes of the 16044"),
        ("forbidden", "forbidden", "HTTP Error 403"),
        ("missing", "not_found", "HTTP Error 404"),
        ("failing", "server_error", "HTTP Error 503"),
        ("limited", "ip_block", "HTTP Error 429"),
        ("loop", "bad_redirect", "redirect loop"),
        ("to-file", "bad_redirect", "file:///etc/passwd"),
        ("to-private", "private_address", "sent on to 127.0.0.2"),
        ("endless", "too_large", "at most 2000000"),
        ("bomb", "too_large", "at most 2000000"),
        ("declared-large", "too_large", "1000000000000 bytes"),
        ("reset", "network", "Connection reset"),
    ],
)
def test_each_misbehaviour_has_its_status_and_leaves_no_file(server, doer, tmp_path, answer, status, words):
    outcome = fetched(doer, server.url(f"{answer}/song.wav"))
    assert outcome.status == status
    assert words in outcome.message
    assert not list((tmp_path / "audio").iterdir())
    assert not (tmp_path / "partial").exists()


@pytest.mark.parametrize("answer", ["hang", "stall"])
def test_a_server_that_falls_silent_is_given_up_in_time(server, tmp_path, answer):
    (tmp_path / "audio").mkdir()
    doer = Doer(FetchOptions(stall_s=0.3), tmp_path / "audio", tmp_path / "partial")
    outcome = fetched(doer, server.url(f"{answer}/song.wav"))
    doer.close()
    assert outcome.status == "timeout"
    assert "Read timed out" in outcome.message
    assert not list((tmp_path / "audio").iterdir())


def test_a_refusal_is_not_asked_again_by_yt_dlp_itself(server, doer):
    for answer in ("forbidden", "failing", "empty", "truncated", "limited"):
        fetched(doer, server.url(f"{answer}/song.wav"))
    assert set(server.hits.values()) == {1}


def test_a_song_is_kept_in_its_container_under_a_name_made_of_its_id_and_content(server, doer, tmp_path):
    outcome = fetched(doer, server.url("whole/song.mp3?name=says-nothing"))
    assert (outcome.status, outcome.codec, outcome.rate_hz, outcome.bytes) == ("ok", "pcm_s16le", 8000, 16044)
    assert outcome.duration_s == pytest.approx(1.0)
    assert outcome.path == tmp_path / "audio" / f"song.{outcome.sha256[:16]}.wav"
    assert outcome.path.read_bytes() == tone()
    assert outcome.sha256 == sha256_of(outcome.path)
    assert server.hits.total() == 1


def test_a_redirect_to_the_same_host_is_followed(server, doer):
    assert fetched(doer, server.url("to-whole/song.wav")).status == "ok"


def test_what_a_limit_says_about_when_to_come_back_is_passed_on(server, doer):
    assert fetched(doer, server.url("limited/song.wav")).retry_after_s == 7.0


def test_a_redirect_loop_is_left_soon(server, doer):
    fetched(doer, server.url("loop/song.wav"))
    assert server.hits.total() <= 11


def test_a_name_that_leads_to_a_private_address_is_not_followed(server, doer):
    url = server.url("whole/song.wav").replace("127.0.0.1", "127.1")
    outcome = fetched(doer, url)
    assert (outcome.status, server.hits.total()) == ("private_address", 0)
    assert "127.1 leads to 127.0.0.1, a private address that the source does not name" in outcome.message


def test_a_disk_that_takes_no_more_is_told_from_a_bad_song(server, tmp_path):
    """The limit is the process's own, as `ulimit -f` sets it."""
    code = (
        "import resource, signal, sys; from pathlib import Path; from build.fetch.download import Doer;"
        "from build.fetch.options import FetchOptions; from build.fetch.urls import target_of;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000));"
        "url, audio = sys.argv[1], Path(sys.argv[2]);"
        "print(Doer(FetchOptions(), audio, audio / 'partial').fetch(target_of('song', url), url).status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, server.url("whole/song.wav"), tmp_path],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "disk\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1:99999/a", "http://[::1", "javascript:alert(1)", "http:///a", "ftp://127.0.0.1/a"]
)
def test_a_redirect_to_nowhere_is_a_failure_of_its_song_only(server, doer, location):
    server.location = location
    assert fetched(doer, server.url("elsewhere/song.wav")).status in ("bad_redirect", "network")


def test_a_file_is_on_disk_before_it_gets_its_name(server, doer, tmp_path, monkeypatch):
    synced, audio = [], tmp_path / "audio"
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append((os.fstat(handle).st_size, list(audio.iterdir()))))
    assert fetched(doer, server.url("whole/song.wav")).status == "ok"
    assert synced == [(len(tone()), [])]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("120", 120.0),
        (" 120 ", 120.0),
        ("0", 0.0),
        ("soon", None),
        ("-5", None),
        ("\xb2", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 +9999999999999999", None),
        ("Wed, 21 Oct 99999999999999999999 07:28:00 GMT", None),
    ],
)
def test_a_retry_after_is_read_as_seconds_or_as_a_date(header, seconds):
    assert seconds_until(header) == seconds


@given(
    st.text(max_size=40)
    | st.text("0123456789\xb2\u0663", min_size=1)
    | st.builds("Wed, 21 Oct {} 07:28:00 {:+}".format, st.integers(), st.integers())
)
def test_whatever_a_server_says_of_when_to_come_back_is_seconds_or_nothing(header):
    seconds = seconds_until(header)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize("answer", ["drip", "drip-headers", "hang"])
def test_a_song_that_never_ends_can_be_called_off(server, doer, answer):
    outcome = called_off(doer, server, server.url(f"{answer}/song.wav"))
    assert (outcome.status, outcome.message) == ("timeout", "took longer than 600 s in all")


def test_after_a_song_was_called_off_the_next_one_works(server, doer):
    doer.call_off()
    assert called_off(doer, server, server.url("drip/song.wav")).status == "timeout"
    assert fetched(doer, server.url("whole/song.wav")).status == "ok"


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/song.wav", "http://localhost:9/song.wav"])
def test_a_port_where_nobody_listens_is_a_network_failure(doer, url):
    assert fetched(doer, url).status == "network"


@pytest.fixture
def youtube(server, tmp_path):
    """A doer whose YouTube is the stand-in, with its media behind a proxy."""
    (tmp_path / "audio").mkdir(exist_ok=True)
    options = FetchOptions(proxy=server.url(""))
    made = Doer(options, tmp_path / "audio", tmp_path / "partial")
    yield made
    made.close()


def asked(doer, number: int = 1):
    target = target_of(video_id(number), None)
    return doer.fetch(target, target.url)


def test_a_video_is_had_with_what_the_site_says_of_it(youtube, monkeypatch):
    stand_in(monkeypatch, lambda video: {"language": "ko"})
    outcome = asked(youtube)
    assert (outcome.status, outcome.format_id, outcome.language) == ("ok", "251", "ko")
    assert outcome.title == f"Song {video_id(1)}"


def test_the_original_track_is_fetched_out_of_dubbed_and_compressed_ones(youtube, server, monkeypatch):
    def track(name: str, preference: int, abr: int) -> dict:
        url = f"http://rr1.googlevideo.com/whole/{name}"
        return {
            "format_id": name,
            "url": url,
            "ext": "webm",
            "acodec": "opus",
            "vcodec": "none",
            "abr": abr,
            "language_preference": preference,
        }

    tracks = [track("251-drc", 10, 160), track("251-es", -1, 160), track("251-en", 5, 160), track("250-ko", 10, 70)]
    stand_in(monkeypatch, lambda video: {"formats": tracks})
    assert asked(youtube).format_id == "250-ko"
    assert list(server.hits) == ["http://rr1.googlevideo.com/whole/250-ko"]


def test_a_track_that_is_handed_out_in_ranges_is_put_together(youtube, server, monkeypatch):
    ranged = {"url": "http://rr1.googlevideo.com/ranged/a", "downloader_options": {"http_chunk_size": 5000}}
    stand_in(monkeypatch, lambda video: {"formats": [{"format_id": "251", "ext": "webm", **ranged}]})
    outcome = asked(youtube)
    assert outcome.status == "ok"
    assert outcome.path.read_bytes() == tone()
    assert server.hits.total() >= 4


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"formats": [{"format_id": "251-drc", "url": "http://a/", "ext": "webm", "acodec": "opus"}]}, "altered"),
        ({"is_live": True}, "live"),
        ({"duration": 9}, "too_short"),
        ({"duration": 7200}, "too_long"),
        (
            {"_type": "playlist", "entries": [{"_type": "url", "url": "https://www.youtube.com/watch?v=video000002"}]},
            "playlist",
        ),
    ],
)
def test_what_is_no_song_is_refused_before_its_media_are_asked_for(youtube, server, monkeypatch, said, status):
    stand_in(monkeypatch, lambda video: said)
    assert asked(youtube).status == status
    assert not server.hits


def test_a_track_shorter_than_the_site_says_is_truncated(youtube, monkeypatch):
    stand_in(monkeypatch, lambda video: {"duration": 200})
    assert asked(youtube).status == "truncated"


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Video unavailable. This content isn’t available, try again later.", "rate_limit"),
        ("Sign in to confirm you’re not a bot. Use --cookies-from-browser", "bot_check"),
        ("Video unavailable. This video has been removed by the uploader", "removed"),
        ("Video unavailable", "unavailable"),
    ],
)
def test_what_the_site_says_comes_through_yt_dlp_as_its_status(youtube, monkeypatch, message, status):
    def script(video):
        raise says(message)

    stand_in(monkeypatch, script)
    outcome = asked(youtube)
    assert outcome.status == status
    assert outcome.message.startswith(f"ERROR: [youtube] {video_id(1)}: {message}")


def test_an_extractor_that_breaks_costs_its_song_only(youtube, monkeypatch):
    def script(video):
        raise TypeError("odd answer")

    stand_in(monkeypatch, script)
    assert (asked(youtube).status, asked(youtube).message) == ("unknown", "odd answer")


@pytest.mark.parametrize(("message", "status"), [("Odd words", "environment"), ("This video is private", "private")])
def test_a_warning_explains_an_error_that_does_not_explain_itself(youtube, monkeypatch, message, status):
    class WarningIE(YoutubeIE):
        def _real_extract(self, url):
            self.report_warning("n challenge solving failed: Some formats may be missing")
            raise says(message)

    monkeypatch.setitem(extractors.value, "YoutubeIE", type("YoutubeIE", (WarningIE,), {}))
    outcome = asked(youtube)
    assert outcome.status == status
    assert outcome.message.endswith("n challenge solving failed: Some formats may be missing")


def test_a_page_without_end_is_not_read_to_its_end(youtube, server, monkeypatch):
    class Reading(YoutubeIE):
        def _real_extract(self, url):
            return self._download_json("http://www.youtube.com/endless/a", "a")

    monkeypatch.setattr("build.fetch.wire.PAGE_BYTES", 3_000_000)
    monkeypatch.setitem(extractors.value, "YoutubeIE", type("YoutubeIE", (Reading,), {}))
    assert asked(youtube).status == "too_large"


def test_a_format_without_sound_means_that_the_machine_lacks_something(youtube, monkeypatch):
    stand_in(monkeypatch, lambda video: {"formats": [{"format_id": "sb0", "url": "http://a/", "ext": "mhtml"}]})
    assert asked(youtube).status == "environment"


def test_the_sites_own_media_address_is_trusted_but_no_other(server, doer, monkeypatch):
    def script(video):
        answer = "whole" if video == video_id(1) else "to-private"
        return {"formats": [{"format_id": "1", "url": server.url(f"{answer}/a"), "ext": "wav"}]}

    stand_in(monkeypatch, script)
    assert (asked(doer, 1).status, asked(doer, 2).status) == ("ok", "private_address")


def test_a_known_good_video_is_listened_into_and_not_kept(youtube, server, monkeypatch, tmp_path):
    stand_in(monkeypatch, lambda video: None)
    assert youtube.answers(target_of(video_id(1), None))
    assert list(server.hits) == [f"http://rr1.googlevideo.com/whole/{video_id(1)}"]
    assert not list((tmp_path / "audio").iterdir())
    assert not (tmp_path / "partial").exists()


@pytest.mark.parametrize("answer", ["forbidden", "empty", "limited"])
def test_a_video_whose_sound_cannot_be_had_is_not_good(youtube, monkeypatch, answer):
    media = f"http://rr1.googlevideo.com/{answer}/a"
    stand_in(monkeypatch, lambda video: {"formats": [{"format_id": "251", "url": media, "ext": "webm"}]})
    assert not youtube.answers(target_of(video_id(1), None))


def test_a_video_that_fails_is_not_good(youtube, monkeypatch):
    def script(video):
        raise says("Video unavailable")

    stand_in(monkeypatch, script)
    assert not youtube.answers(target_of(video_id(1), None))
