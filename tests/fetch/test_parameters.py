import re

import pytest

from build.errors import InputError
from build.fetch.download import Doer
from build.fetch.options import FetchOptions
from build.fetch.parameters import DIRECT, LOCAL, browser_of, check_cookies, extractor_for, parameters
from build.fetch.urls import target_of
from tests.fetch.site import site
from tests.fetch.youtube import stand_in, video_id


def extractor(url: str | None, song_id: str = "song") -> str:
    target = target_of(song_id, url)
    return extractor_for(target, target.url)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (f"https://youtu.be/{video_id(1)}", "youtube"),
        ("https://music.example/a/song.mp3", DIRECT),
        ("https://music.example/get?id=1", DIRECT),
        ("https://soundcloud.com/artist/song", "soundcloud"),
        ("https://artist.bandcamp.com/track/song", "Bandcamp"),
        ("http://127.0.0.1:8000/song.mp3", LOCAL),
        ("http://192.168.1.5/song", LOCAL),
        ("audio/song.mp3", LOCAL),
    ],
)
def test_each_address_has_the_one_extractor_that_it_calls_for(url, name):
    assert extractor(url) == name


def test_whole_native_tracks_are_asked_for_once_and_nothing_else(tmp_path):
    given = parameters(FetchOptions(), "youtube", tmp_path)
    assert "download_ranges" not in given
    assert "postprocessors" not in given
    assert (given["retries"], given["noplaylist"], given["skip_unavailable_fragments"]) == (0, True, False)


@pytest.mark.parametrize(
    ("name", "allowed"), [("youtube", True), ("youtube+plugin", True), ("youtube:tab", False), ("generic", False)]
)
def test_one_extractor_is_allowed_also_where_a_plugin_changes_it(tmp_path, name, allowed):
    (pattern,) = parameters(FetchOptions(), "youtube", tmp_path)["allowed_extractors"]
    assert bool(re.fullmatch(pattern, name)) is allowed


def test_options_reach_yt_dlp(tmp_path):
    (tmp_path / "cookies.txt").write_text("")
    options = FetchOptions(cookies=tmp_path / "cookies.txt", proxy="socks5://p:1", player_client=("web", "tv"))
    given = parameters(options, "youtube", tmp_path)
    assert given["cookiefile"] == str(tmp_path / "cookies.txt")
    assert given["proxy"] == "socks5://p:1"
    assert given["extractor_args"] == {"youtube": {"player_client": ["web", "tv"]}}


def test_cookies_go_to_sites_with_pages_only_and_the_proxy_not_to_this_machine(tmp_path):
    options = FetchOptions(cookies_from_browser="firefox", proxy="http://p:1")
    assert "cookiesfrombrowser" not in parameters(options, DIRECT, tmp_path)
    assert parameters(options, DIRECT, tmp_path)["proxy"] == "http://p:1"
    assert parameters(options, LOCAL, tmp_path)["proxy"] == ""


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (None, None),
        ("firefox", ("firefox", None, None, None)),
        ("chromium+basictext:Profile 1", ("chromium", "Profile 1", "BASICTEXT", None)),
        ("firefox:default::Personal", ("firefox", "default", None, "Personal")),
    ],
)
def test_a_browser_is_named_as_on_yt_dlps_command_line(text, meant):
    assert browser_of(text) == meant


def test_a_browser_that_yt_dlp_does_not_know_is_an_error_that_says_so():
    with pytest.raises(InputError, match=r"--cookies-from-browser netscape: .*netscape"):
        browser_of("netscape")


def test_cookies_of_the_file_are_sent_to_the_site(tmp_path, monkeypatch):
    (tmp_path / "audio").mkdir()
    cookies = tmp_path / "cookies.txt"
    cookies.write_text(
        "# Netscape HTTP Cookie File\n.googlevideo.com\tTRUE\t/\tFALSE\t4000000000\tSID\thunter2hunter2\n"
    )
    seen = []
    stand_in(monkeypatch, lambda video: seen.append(video))
    with site() as proxy:
        options = FetchOptions(cookies=cookies, proxy=proxy.url(""), player_client=("web", "tv"))
        doer = Doer(options, tmp_path / "audio", tmp_path / "partial")
        target = target_of(video_id(1), None)
        assert doer.fetch(target, target.url).status == "ok"
        doer.close()
        assert proxy.headers["Cookie"] == "SID=hunter2hunter2"
    assert seen == [video_id(1)]


@pytest.mark.parametrize("content", ["hunter2 is no cookies file\n", "<!DOCTYPE html>", "\x00\x01"])
def test_a_file_that_holds_no_cookies_is_an_error_that_does_not_quote_it(tmp_path, content):
    (tmp_path / "cookies.txt").write_text(content)
    with pytest.raises(InputError, match=r"cookies\.txt: no cookies file in Netscape format") as error:
        check_cookies(FetchOptions(cookies=tmp_path / "cookies.txt"))
    assert "hunter2" not in str(error.value)
    assert error.value.__cause__ is None
