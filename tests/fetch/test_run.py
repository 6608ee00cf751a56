"""Whole runs: the real yt-dlp, a server that misbehaves, a clock that does not wait."""

import logging
import os
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from yt_dlp.globals import extractors

from build.errors import InputError, RunError
from build.fetch.breaker import RESTS
from build.fetch.journal import Attempt, Journal
from build.fetch.lock import only_run
from build.fetch.options import FetchOptions
from build.fetch.run import OLDEST, egress, run
from build.fetch.states import standing
from build.fetch.urls import target_of
from build.workspace import Workspace
from tests.fetch.clock import FastClock
from tests.fetch.site import site, tone
from tests.fetch.songlist import song_table
from tests.fetch.youtube import LIMIT, YoutubeIE, says, stand_in, video_id

HOUR_S = 3600.0


@pytest.fixture
def server():
    with site() as running:
        yield running


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path / "work")


@pytest.fixture
def clock() -> FastClock:
    return FastClock()


def statuses(table: pa.Table) -> dict[str, str]:
    return dict(zip(table["song_id"].to_pylist(), table["status"].to_pylist(), strict=True))


def attempts(workspace: Workspace) -> list[Attempt]:
    with closing(Journal(workspace.journal)) as journal:
        return sorted((one for tried in journal.attempts().values() for one in tried), key=lambda one: one.at)


def states(workspace: Workspace) -> dict[str, str]:
    with closing(Journal(workspace.journal)) as journal:
        return {tried[0].song_id: standing(tried).state for tried in journal.attempts().values()}


class TestOtherHosts:
    def fetch(self, urls, workspace, clock, **options) -> dict[str, str]:
        return statuses(run(song_table(urls), None, workspace, FetchOptions(**options), clock))

    def test_what_is_had_is_not_asked_for_again(self, server, workspace, clock):
        urls = {f"song{n}": server.url(f"whole/{n}.wav") for n in range(9)}
        for _ in range(2):
            assert set(self.fetch(urls, workspace, clock).values()) == {"ok"}
        assert set(server.hits.values()) == {1}

    def test_the_table_has_a_row_a_song_by_id_with_files_as_they_are(self, server, workspace, clock):
        urls = {"b": server.url("whole/b"), "a": server.url("missing/a"), "c": "https://www.youtube.com/watch?v="}
        rows = run(song_table(urls), None, workspace, FetchOptions(), clock).to_pylist()
        assert [(row["song_id"], row["status"]) for row in rows] == [("a", "not_found"), ("b", "ok"), ("c", "bad_url")]
        assert Path(rows[1]["path"]).read_bytes() == tone()
        assert (rows[0]["path"], rows[0]["sha256"], rows[1]["message"]) == (None, None, None)
        assert "is no YouTube id" in rows[2]["message"]

    @pytest.mark.parametrize("harm", ["removed", "one bit", "cut", "zeros"])
    def test_a_file_that_is_not_what_it_was_is_fetched_anew(self, server, workspace, clock, harm):
        urls = {"song": server.url("whole/song.wav")}
        self.fetch(urls, workspace, clock)
        (path,) = workspace.audio.iterdir()
        payload = path.read_bytes()
        harmed = {"one bit": bytes([payload[0] ^ 1]) + payload[1:], "cut": payload[:-1], "zeros": bytes(len(payload))}
        path.unlink() if harm == "removed" else path.write_bytes(harmed[harm])
        assert self.fetch(urls, workspace, clock) == {"song": "ok"}
        assert path.read_bytes() == payload
        assert server.hits.total() == 2

    def test_a_refusal_that_passes_is_got_over(self, server, workspace, clock):
        assert self.fetch({"song": server.url("forbidden-once/a")}, workspace, clock) == {"song": "ok"}
        assert [one.status for one in attempts(workspace)] == ["forbidden", "ok"]

    def test_a_limit_is_rested_for_as_long_as_the_server_asks(self, server, workspace, clock):
        assert self.fetch({"song": server.url("limited-once/a")}, workspace, clock) == {"song": "ok"}
        limit, ok = attempts(workspace)
        assert (limit.status, limit.counts, ok.status) == ("ip_block", 0, "ok")
        assert 7.0 <= ok.at - limit.at < 8.0

    def test_a_server_that_limits_for_ever_stops_the_run_and_says_nothing_of_its_song(self, server, workspace, clock):
        with pytest.raises(RunError, match=r"still does after several rests.*HTTP Error 429.*another network"):
            self.fetch({"song": server.url("limited/a")}, workspace, clock)
        assert server.hits.total() == RESTS + 1
        assert states(workspace) == {"song": "untried"}
        with closing(Journal(workspace.journal)) as journal:
            assert journal.resting_until() > clock.now()

    def test_failures_are_retried_with_growing_waits_and_then_left(self, server, workspace, clock):
        urls = {"song": server.url("failing/a")}
        assert self.fetch(urls, workspace, clock) == {"song": "server_error"}
        times = [one.at for one in attempts(workspace)]
        waits = [later - earlier for earlier, later in pairwise(times)]
        assert len(waits) == 3
        assert all(0.75 * 5 * 2**n <= wait <= 1.25 * 5 * 2**n + 0.1 for n, wait in enumerate(waits))
        self.fetch(urls, workspace, clock)
        assert server.hits.total() == 4
        self.fetch(urls, workspace, clock, mode="retry-failed")
        assert server.hits.total() == 8

    def test_a_clock_that_was_set_back_by_years_holds_nothing_up(self, server, workspace, clock):
        """A try and a rest that an earlier run has noted lie far ahead: the song is asked for now, not in ten years."""
        url = server.url("whole/a")
        later = clock.now() + 10 * 365 * 24 * HOUR_S
        with closing(Journal(workspace.journal)) as journal:
            key = target_of("song", url).key
            journal.add(Attempt(key, "song", later, "server_error", site="127.0.0.1"))
            journal.keep_rest(egress(FetchOptions()), later, 1, "127.0.0.1")
        begun = clock.now()
        assert self.fetch({"song": url}, workspace, clock) == {"song": "ok"}
        assert clock.now() - begun < HOUR_S

    def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(self, server, workspace, clock):
        assert self.fetch({"song": server.url("busy-once/a")}, workspace, clock) == {"song": "ok"}
        busy, ok = attempts(workspace)
        assert (busy.status, busy.counts) == ("server_error", 1)
        assert 60.0 <= ok.at - busy.at < 61.0

    def test_after_a_rest_one_song_alone_is_asked_for(self, server, workspace, clock):
        with pytest.raises(RunError, match="after several rests"):
            self.fetch({f"song{n}": server.url(f"limited/{n}") for n in range(12)}, workspace, clock)
        assert server.hits.total() <= FetchOptions().connections + RESTS

    def test_only_the_named_songs_are_asked_for(self, server, workspace, clock):
        urls = {f"song{n}": server.url(f"whole/{n}") for n in range(3)}
        found = self.fetch(urls, workspace, clock, only=("song1",))
        assert found == {"song0": "not_fetched", "song1": "ok", "song2": "not_fetched"}
        assert server.hits.total() == 1

    def test_a_song_that_never_ends_is_called_off_and_costs_no_other(self, server, workspace, clock):
        urls = {"drip": server.url("drip/a"), **{f"song{n}": server.url(f"whole/{n}") for n in range(5)}}
        found = self.fetch(urls, workspace, clock, limit_s=0.5)
        assert found.pop("drip") == "timeout"
        assert set(found.values()) == {"ok"}

    def test_other_hosts_are_not_paced(self, server, workspace, clock):
        begun = clock.now()
        self.fetch({f"song{n}": server.url(f"whole/{n}") for n in range(20)}, workspace, clock, pace_per_hour=1.0)
        assert clock.now() == begun

    def test_nothing_unfinished_is_left(self, server, workspace, clock):
        self.fetch({"a": server.url("truncated/a"), "b": server.url("whole/b")}, workspace, clock)
        assert [path.suffix for path in workspace.audio.iterdir()] == [".wav"]

    def test_what_an_earlier_run_left_unfinished_is_cleared_away(self, server, workspace, clock):
        (workspace.audio / ".partial" / "0").mkdir(parents=True)
        (workspace.audio / ".partial" / "0" / "song.unknown_video.part").write_bytes(b"half")
        self.fetch({"b": server.url("whole/b")}, workspace, clock)
        assert not (workspace.audio / ".partial").exists()


class TestSourceFolder:
    @pytest.fixture
    def folder(self, tmp_path) -> Path:
        (tmp_path / "source" / "audio").mkdir(parents=True)
        (tmp_path / "source" / "audio" / "ä 1%.wav").write_bytes(tone())
        return tmp_path / "source"

    def test_relative_urls_are_files_of_the_source(self, folder, workspace, clock):
        table = run(song_table({"song": "audio/ä 1%.wav"}), folder, workspace, FetchOptions(), clock)
        assert statuses(table) == {"song": "ok"}
        assert Path(table["path"][0].as_py()).read_bytes() == tone()

    def test_another_port_is_not_another_song(self, folder, workspace, clock):
        for _ in range(2):
            run(song_table({"song": "audio/ä 1%.wav"}), folder, workspace, FetchOptions(), clock)
        assert len(attempts(workspace)) == 1

    def test_a_proxy_is_not_asked_for_them(self, folder, workspace, clock):
        options = FetchOptions(proxy="http://127.0.0.1:9")
        assert statuses(run(song_table({"song": "audio/ä 1%.wav"}), folder, workspace, options, clock)) == {
            "song": "ok"
        }

    def test_a_source_file_that_has_changed_is_fetched_anew(self, folder, workspace, clock):
        songs = song_table({"song": "audio/ä 1%.wav"})
        run(songs, folder, workspace, FetchOptions(), clock)
        (folder / "audio" / "ä 1%.wav").write_bytes(tone(2.0))
        (row,) = run(songs, folder, workspace, FetchOptions(), clock).to_pylist()
        assert Path(row["path"]).read_bytes() == tone(2.0)

    def test_a_file_that_is_not_there_and_a_link_that_leads_out_are_not_found(self, folder, workspace, clock, tmp_path):
        (tmp_path / "secret.wav").write_bytes(tone())
        (folder / "link.wav").symlink_to(tmp_path / "secret.wav")
        urls = {"a": "audio/nosuch.wav", "b": "link.wav"}
        assert statuses(run(song_table(urls), folder, workspace, FetchOptions(), clock)) == {
            "a": "not_found",
            "b": "not_found",
        }

    def test_a_broken_file_is_not_waited_for_but_looked_at_again_in_the_next_run(self, folder, workspace, clock):
        songs, path = song_table({"song": "broken.wav"}), folder / "broken.wav"
        path.write_bytes(b"this is no audio")
        begun = clock.now()
        assert statuses(run(songs, folder, workspace, FetchOptions(), clock)) == {"song": "not_audio"}
        assert clock.now() == begun
        path.write_bytes(tone())
        assert statuses(run(songs, folder, workspace, FetchOptions(), clock)) == {"song": "ok"}

    def test_without_the_folder_it_says_what_is_missing(self, workspace, clock):
        with pytest.raises(InputError, match=r"song song is the file audio/a\.wav of its source.*--source-root"):
            run(song_table({"song": "audio/a.wav"}), None, workspace, FetchOptions(), clock)


class TestYouTube:
    def fetch(self, count: int, server, workspace, clock, **options) -> dict[str, str]:
        songs = song_table({video_id(n): None for n in range(count)})
        return statuses(run(songs, None, workspace, FetchOptions(**{"proxy": server.url(""), **options}), clock))

    def test_a_burst_of_rate_limits_makes_the_run_rest_and_go_on(self, server, workspace, clock, monkeypatch):
        limited_until = []

        def script(video):
            if video == video_id(4) and not limited_until:
                limited_until.append(clock.now() + HOUR_S / 2)
            if limited_until and clock.now() < limited_until[0]:
                raise says(LIMIT)

        stand_in(monkeypatch, script)
        assert set(self.fetch(12, server, workspace, clock).values()) == {"ok"}
        limits = [one for one in attempts(workspace) if one.status == "rate_limit"]
        assert [one.counts for one in limits] == [0]
        after = min(one.at for one in attempts(workspace) if one.at > limits[0].at)
        assert after - limits[0].at >= HOUR_S
        with closing(Journal(workspace.journal)) as journal:
            rest = journal.rest(egress(FetchOptions(proxy=server.url(""))))
        assert rest == (limits[0].at + HOUR_S, 0, "youtube")

    def test_a_limit_that_comes_back_is_rested_for_longer(self, server, workspace, clock, monkeypatch):
        def script(video):
            if clock.now() < begun + 1.5 * HOUR_S:
                raise says(LIMIT)

        begun = clock.now()
        stand_in(monkeypatch, script)
        assert set(self.fetch(3, server, workspace, clock).values()) == {"ok"}
        times = [one.at for one in attempts(workspace)][:3]
        assert times[1] - times[0] == pytest.approx(HOUR_S, abs=60)
        assert times[2] - times[1] == pytest.approx(2 * HOUR_S, abs=60)

    def test_stopping_and_starting_does_not_cut_a_rest_short(self, server, workspace, clock, monkeypatch):
        with closing(Journal(workspace.journal)) as journal:
            way = egress(FetchOptions(proxy=server.url("")))
            journal.keep_rest(way, clock.now() + HOUR_S, 1, "youtube")
        begun = clock.now()
        stand_in(monkeypatch, lambda video: None)
        self.fetch(1, server, workspace, clock)
        assert attempts(workspace)[0].at - begun >= HOUR_S

    def test_the_bot_check_stops_the_run_at_once_and_says_what_helps(self, server, workspace, clock, monkeypatch):
        asked = []

        def script(video):
            asked.append(video)
            if len(asked) == 3:
                raise says("Sign in to confirm you’re not a bot. Use --cookies-from-browser or --cookies")

        stand_in(monkeypatch, script)
        with pytest.raises(RunError, match=r"proof that a person is asking.*--cookies-from-browser"):
            self.fetch(9, server, workspace, clock)
        assert len(asked) == 3
        assert sorted(states(workspace).values()) == ["had", "had", "untried"]

    def test_three_first_failures_of_the_machine_abort_with_what_it_lacks(self, server, workspace, clock, monkeypatch):
        def script(video):
            raise says("Requested format is not available. Use --list-formats for a list of available formats")

        stand_in(monkeypatch, script)
        with pytest.raises(RunError, match=r"this machine lacks.*JavaScript runtime: .*doctor"):
            self.fetch(9, server, workspace, clock)
        assert len(attempts(workspace)) == 3
        assert set(states(workspace).values()) == {"untried"}

    def test_a_streak_of_failures_is_a_limit_if_the_known_good_fails_too(self, server, workspace, clock, monkeypatch):
        texts = [
            "Video unavailable",
            "This video is private",
            "The downloaded file is empty",
            "HTTP Error 403: Forbidden",
        ]
        asked = []

        def script(video):
            asked.append(video)
            if clock.now() < begun + 300:
                raise says(texts[len(asked) % len(texts)])

        begun = clock.now()
        stand_in(monkeypatch, script)
        assert set(self.fetch(6, server, workspace, clock).values()) == {"ok"}
        assert OLDEST in asked
        assert not [one for one in attempts(workspace) if one.counts and one.status != "ok"]

    def test_a_song_of_such_a_streak_has_all_its_tries_left(self, server, workspace, clock, monkeypatch):
        def script(video):
            if clock.now() < begun + 300 or video == video_id(0):
                raise says("unable to download video data: HTTP Error 403: Forbidden")

        begun = clock.now()
        stand_in(monkeypatch, script)
        assert self.fetch(6, server, workspace, clock)[video_id(0)] == "forbidden"
        counted = [one for one in attempts(workspace) if one.song_id == video_id(0) and one.counts]
        assert [one.status for one in counted] == ["forbidden"] * 3

    def test_a_streak_of_failures_is_believed_if_the_known_good_answers(self, server, workspace, clock, monkeypatch):
        def script(video):
            if video not in (OLDEST, video_id(0)):
                raise says("This video is private")

        stand_in(monkeypatch, script)
        found = self.fetch(12, server, workspace, clock)
        assert [found.pop(video_id(0)), set(found.values())] == ["ok", {"private"}]
        assert set(states(workspace).values()) == {"had", "gone"}

    def test_songs_are_asked_for_at_the_pace(self, server, workspace, clock, monkeypatch):
        stand_in(monkeypatch, lambda video: None)
        begun = clock.now()
        self.fetch(23, server, workspace, clock, pace_per_hour=60.0)
        assert clock.now() - begun == pytest.approx(20 * 60, rel=0.02)

    def test_a_new_run_does_not_begin_with_a_new_burst(self, server, workspace, clock, monkeypatch):
        stand_in(monkeypatch, lambda video: None)
        self.fetch(6, server, workspace, clock, pace_per_hour=60.0)
        begun = clock.now()
        self.fetch(8, server, workspace, clock, pace_per_hour=60.0)
        assert clock.now() - begun >= 90

    def test_media_requests_keep_their_distance(self, server, workspace, clock, monkeypatch):
        stand_in(monkeypatch, lambda video: None)
        begun = clock.now()
        self.fetch(3, server, workspace, clock)
        assert clock.now() - begun >= 2 * 5.0

    def test_page_requests_keep_their_distance_too(self, server, workspace, clock, monkeypatch):
        class Reading(YoutubeIE):
            def _real_extract(self, url):
                for number in range(4):
                    self._download_webpage(f"http://www.youtube.com/whole/{number}", "page", encoding="latin-1")
                return super()._real_extract(url)

        monkeypatch.setattr(Reading, "script", lambda video: None, raising=False)
        monkeypatch.setitem(extractors.value, "YoutubeIE", type("YoutubeIE", (Reading,), {}))
        begun = clock.now()
        self.fetch(1, server, workspace, clock)
        assert 3 * 0.75 <= clock.now() - begun <= 3 * 1.25

    def test_a_video_that_is_just_unavailable_is_asked_for_on_another_day(self, server, workspace, clock, monkeypatch):
        def script(video):
            raise says("Video unavailable")

        stand_in(monkeypatch, script)
        self.fetch(1, server, workspace, clock)
        self.fetch(1, server, workspace, clock)
        assert (len(attempts(workspace)), set(states(workspace).values())) == (1, {"retry"})
        clock.sleep(2 * 24 * HOUR_S)
        self.fetch(1, server, workspace, clock)
        assert (len(attempts(workspace)), set(states(workspace).values())) == (2, {"gone"})

    def test_without_network_nothing_is_asked_and_no_state_changes(self, workspace, clock):
        songs = song_table({video_id(n): None for n in range(9)})
        with pytest.raises(RunError, match=r"nothing was asked for.*no answer.*check the network"):
            run(songs, None, workspace, FetchOptions(proxy="http://127.0.0.1:9"), clock)
        assert attempts(workspace) == []

    def test_no_secret_reaches_journal_log_or_error(
        self, server, workspace, clock, monkeypatch, tmp_path, caplog, capfd
    ):
        cookies = tmp_path / "cookies.txt"
        cookies.write_text("# Netscape HTTP Cookie File\n.youtube.com\tTRUE\t/\tTRUE\t4000000000\tSID\thunter2cookie\n")
        proxy = server.url("").replace("http://", "http://me:hunter2proxy@")

        def script(video):
            raise says(f"Odd: hunter2cookie via {proxy} at https://r.googlevideo.com/v?sig=hunter2sig&pot=hunter2pot")

        stand_in(monkeypatch, script)
        caplog.set_level(logging.DEBUG)
        table = self.fetch_with(cookies, proxy, workspace, clock)
        said = [caplog.text, *capfd.readouterr(), str(table.to_pylist())]
        said += [path.read_bytes().decode("latin-1") for path in workspace.root.rglob("*") if path.is_file()]
        assert "Odd: ***" in said[3]
        assert not [text for text in said if "hunter2" in text]

    def fetch_with(self, cookies: Path, proxy: str, workspace, clock) -> pa.Table:
        options = FetchOptions(proxy=proxy, cookies=cookies)
        return run(song_table({video_id(1): None}), None, workspace, options, clock)


def test_a_second_run_on_the_same_folder_refuses_and_names_the_first(server, workspace, clock):
    songs = song_table({"song": server.url("whole/a")})
    with only_run(workspace.root), pytest.raises(RunError, match=f"process {os.getpid()} is fetching into"):
        run(songs, None, workspace, FetchOptions(), clock)
    assert not server.hits


def test_a_run_that_is_interrupted_keeps_what_it_had_and_leaves_nothing_else(server, workspace):
    class Interrupted(FastClock):
        def now(self) -> float:
            if server.hits["/whole/1"]:
                raise KeyboardInterrupt
            return super().now()

    urls = {f"song{n}": server.url(f"whole/{n}") for n in range(2)}
    with pytest.raises(KeyboardInterrupt):
        run(song_table(urls), None, workspace, FetchOptions(connections=1), Interrupted())
    assert not (workspace.audio / ".partial").exists()
    assert sqlite3.connect(workspace.journal).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_source_folder_that_is_not_there_is_an_error(workspace, clock, tmp_path):
    with pytest.raises(InputError, match=r"--source-root .*nosuch: there is no such folder"):
        run(song_table({"song": "a.wav"}), tmp_path / "nosuch", workspace, FetchOptions(), clock)


def test_a_work_folder_that_cannot_be_written_is_an_error_that_says_so(server, clock, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunError, match=r"cannot be written .* give another --work"):
        run(song_table({"song": server.url("whole/a")}), None, Workspace(tmp_path / "file"), FetchOptions(), clock)
