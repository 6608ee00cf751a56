import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from build.errors import RunError
from build.fetch.journal import Attempt, Journal
from build.workspace import REPOSITORY


def test_what_is_written_is_read_back_in_order_and_by_key(tmp_path):
    first = Attempt("k1", "song", 1.0, "network", message="«odd»", seconds=0.5, site="host", yt_dlp="2026.10.26")
    second = Attempt("k1", "song", 2.0, "ok", bytes=5, format_id="251", codec="opus", rate_hz=48000, duration_s=200.5)
    other = Attempt("k2", "other", 3.0, "rate_limit", counts=0)
    with closing(Journal(tmp_path / "j.sqlite")) as journal:
        for attempt in (first, other, second):
            journal.add(attempt)
    with closing(Journal(tmp_path / "j.sqlite")) as journal:
        assert journal.attempts() == {"k1": [first, second], "k2": [other]}


def test_attempts_that_turn_out_to_say_nothing_no_longer_count(tmp_path):
    with closing(Journal(tmp_path / "j.sqlite")) as journal:
        numbers = [journal.add(Attempt("k", "song", float(n), "network")) for n in range(3)]
        journal.void(numbers[:2])
        assert [attempt.counts for attempt in journal.attempts()["k"]] == [0, 0, 1]


def test_a_process_killed_right_after_writing_has_written(tmp_path):
    code = (
        "import os, signal; from pathlib import Path; from build.fetch.journal import Attempt, Journal;"
        f"Journal(Path({str(tmp_path / 'j.sqlite')!r})).add(Attempt('k', 'song', 1.0, 'ok'));"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False).returncode == -9
    with closing(Journal(tmp_path / "j.sqlite")) as journal:
        assert [attempt.status for attempt in journal.attempts()["k"]] == ["ok"]


def test_it_can_be_read_while_a_run_writes(tmp_path):
    with closing(Journal(tmp_path / "j.sqlite")) as writer, closing(Journal(tmp_path / "j.sqlite")) as reader:
        writer.add(Attempt("k", "song", 1.0, "ok"))
        assert len(reader.attempts()) == 1
        assert sqlite3.connect(tmp_path / "j.sqlite").execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_last_time_and_the_last_song_of_a_site(tmp_path):
    with closing(Journal(tmp_path / "j.sqlite")) as journal:
        assert (journal.last_at("youtube"), journal.last_had("youtube")) == (None, None)
        journal.add(Attempt("k1", "one", 1.0, "ok", site="youtube"))
        journal.add(Attempt("k2", "two", 2.0, "private", site="youtube"))
        journal.add(Attempt("k3", "three", 3.0, "ok", site="elsewhere"))
        assert (journal.last_at("youtube"), journal.last_had("youtube")) == (2.0, "k1")


def test_rests_and_facts_outlive_the_run(tmp_path):
    with closing(Journal(tmp_path / "j.sqlite")) as journal:
        journal.keep_rest("a", 10.0, 1, "youtube")
        journal.keep_rest("a", 20.0, 2, "youtube")
        journal.remember("source_root", "/somewhere")
    with closing(Journal(tmp_path / "j.sqlite")) as journal:
        assert journal.rest("a") == (20.0, 2, "youtube")
        assert journal.rest("b") is None
        assert journal.resting_until() == 20.0
        assert journal.recall("source_root") == "/somewhere"


def test_a_file_that_is_no_journal_is_an_error_that_says_what_to_do(tmp_path):
    (tmp_path / "j.sqlite").write_bytes(b"<!DOCTYPE html>" * 100)
    with pytest.raises(RunError, match=r"j\.sqlite is no fetch journal .* move it away"):
        Journal(tmp_path / "j.sqlite")


def test_a_journal_of_another_version_is_an_error(tmp_path):
    with closing(sqlite3.connect(tmp_path / "j.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(RunError, match="is of version 99"):
        Journal(tmp_path / "j.sqlite")
