import pytest

from build.fetch.urls import PACED_HOSTS, YOUTUBE, UnusableError, address, identity, private_literal, target_of, within

ID = "-Y3P7WBzLSY"
PAGE = f"https://www.youtube.com/watch?v={ID}"


def test_a_song_without_a_url_is_its_youtube_page():
    assert (target_of(ID, None).url, target_of(ID, None).site) == (PAGE, YOUTUBE)


@pytest.mark.parametrize(
    "written",
    [
        f"https://www.youtube.com/watch?v={ID}",
        f"http://youtube.com/watch?v={ID}",
        f"https://m.youtube.com/watch?v={ID}&t=30s",
        f"https://music.youtube.com/watch?v={ID}&si=abc",
        f"https://www.youtube.com/watch?v={ID}&list=PL0123456789&index=4",
        f"https://www.youtube.com/watch?list=PL0123456789&v={ID}",
        f"https://www.youtube.com/watch?v={ID}?si=a-mistake",
        f"https://youtu.be/{ID}",
        f"https://youtu.be/{ID}?t=3",
        f"https://www.youtube.com/shorts/{ID}",
        f"https://www.youtube.com/embed/{ID}?rel=0",
        f"https://www.youtube-nocookie.com/embed/{ID}",
        f"https://www.youtube.com/live/{ID}?feature=share",
        f"https://www.youtube.com/v/{ID}",
        f"https://WWW.YouTube.com/watch?v={ID}#t=1",
        f"www.youtube.com/watch?v={ID}",
        f"music.youtube.com/watch?v={ID}",
        f"M.YouTube.com/watch?v={ID}",
        f"www.youtube-nocookie.com/embed/{ID}",
        f"youtu.be/{ID}",
    ],
)
def test_every_way_to_write_a_video_leads_to_one_page(written):
    assert target_of("song", written).url == PAGE


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("https://www.youtube.com/watch?v=", "'' is no YouTube id"),
        ("https://www.youtube.com/watch", "'' is no YouTube id"),
        ("https://www.youtube.com/watch?v=short", "'short' is no YouTube id"),
        (f"https://www.youtube.com/watch?v={ID}extra", "is no YouTube id"),
        (f"https://youtu.be/{ID}9", "is no YouTube id"),
        ("https://www.youtube.com/watch?v=<style>.a{}", "spaces|no YouTube id"),
        ("https://www.youtube.com/playlist?list=PL0123456789", "playlist"),
        ("https://www.youtube.com/@channel", "is no YouTube id"),
        ("file:///etc/passwd", "allowed are http"),
        ("FILE:///etc/passwd", "allowed are http"),
        ("ftp://host/a.mp3", "allowed are http"),
        ("data:audio/wav;base64,AAAA", "allowed are http"),
        ("javascript:alert(1)", "allowed are http"),
        ("//host/a.mp3", "allowed are http"),
        ("https://", "allowed are http"),
        ("https://host:99999/a.mp3", "port|Port"),
        ("https://ho st/a.mp3", "spaces or control"),
        ("https://host/a\n.mp3", "spaces or control"),
        ("/etc/passwd", "below the source folder"),
        ("../secret.mp3", "below the source folder"),
        ("audio/../../secret.mp3", "below the source folder"),
        ("..\\secret.mp3", "below the source folder"),
        ("", "below the source folder"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(written, reason):
    with pytest.raises(UnusableError, match=reason):
        target_of("song", written)


@pytest.mark.parametrize("song_id", ["", "a/b", "../../etc/passwd", "a b", "x" * 65, "ünï", "a\n"])
def test_a_song_id_that_is_no_file_name_is_refused(song_id):
    with pytest.raises(UnusableError, match="song id"):
        target_of(song_id, "https://host/a.mp3")


@pytest.mark.parametrize("song_id", ["short", "watch?v=", ID + "x"])
def test_an_id_that_is_no_youtube_id_needs_a_url(song_id):
    with pytest.raises(UnusableError):
        target_of(song_id, None)


def test_other_hosts_are_asked_as_written():
    target = target_of("song", "https://host.example:8443/a.mp3?token=1")
    assert (target.url, target.site) == ("https://host.example:8443/a.mp3?token=1", "host.example")


def test_a_file_of_the_source_is_asked_for_with_its_odd_characters_escaped():
    target = target_of("song", "audio/50 % of #1?.mp3")
    assert (target.site, address(target, "http://h/")) == ("", "http://h/audio/50%20%25%20of%20%231%3F.mp3")


@pytest.mark.parametrize("path", ["notyoutube.com/a.mp3", "audio/youtube.com/a.mp3", "youtube.com.mp3"])
def test_a_path_that_only_looks_like_the_site_is_a_file_of_the_source(path):
    assert (target_of("song", path).url, target_of("song", path).site) == (path, "")


def test_the_key_tells_songs_and_addresses_apart_and_hides_the_address():
    keys = {
        identity("a", None),
        identity("b", None),
        identity("a", "https://me:secret@host/a"),
        identity("a", "http://me:secret@host/a"),
    }
    assert len(keys) == 4
    assert not any("secret" in key for key in keys)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "::1", "fd00::1", "localhost"]
)
def test_private_addresses_are_known(host):
    assert private_literal(host)


@pytest.mark.parametrize("host", ["8.8.8.8", "youtube.com", "2606:4700::1111", "localhost.example.com"])
def test_public_hosts_are_not_private(host):
    assert not private_literal(host)


@pytest.mark.parametrize(
    ("host", "paced"),
    [("rr3---sn-4g5e.googlevideo.com", True), ("www.youtube.com", True), ("notyoutube.com", False), ("com", False)],
)
def test_the_pace_holds_for_youtube_and_what_is_below_it(host, paced):
    assert within(host, PACED_HOSTS) is paced
