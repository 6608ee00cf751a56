"""A source that changes, shrinks or breaks between and during builds: said, and only what depends on it is redone."""

import os
import shutil
import sqlite3

import pytest

from build.errors import RunError
from build.options import BuildOptions
from build.pipeline import Build
from build.workspace import Workspace
from tests.hub.source import GONE
from tests.reliability.trial import content, edit, write_sound

RATINGS = "rawrating_GlobalMood.csv"
TEN_YEARS_S = 10 * 365 * 86_400


def test_a_changed_sound_file_is_said_and_redone(server, own, anew):
    write_sound(own.source / "media" / "song-01.flac", seed=99)
    done, redone = own.run_and_count(server)
    assert "fetched again, since its source file has changed: song-01" in done.output
    assert redone == {"fetched": 1, "cut": 1}
    assert content(own.out) == anew(own.source)


def test_a_vanished_sound_file_is_kept_from_the_cache(server, own, undisturbed):
    shutil.rmtree(own.source / "media")
    _, redone = own.run_and_count(server)
    assert redone == {"fetched": 0, "cut": 0}
    assert content(own.out) == content(undisturbed.out)


def test_a_vanished_table_is_said_and_what_depends_on_it_is_redone(server, own, anew):
    own.run(server)
    (own.source / RATINGS).unlink()
    done, redone = own.run_and_count(server)
    assert f"source, since the last build here: gone: {RATINGS}" in done.output
    assert redone == {"fetched": 0, "cut": 0}
    assert content(own.out) == anew(own.source)


def test_a_source_that_is_edited_during_the_build_ends_it(source, tmp_path):
    own = shutil.copytree(source, tmp_path / "source")
    build = Build(BuildOptions(str(own), tmp_path / "out", audio=False), Workspace(tmp_path / "work"), print)
    shards = build.shards

    def late() -> None:
        edit(own / RATINGS, lambda rows: rows[:-1])
        shards()

    build.shards = late
    with pytest.raises(RunError, match=rf"edited during the build \(changed: {RATINGS}\): run the same command again"):
        build.run()
    assert not (tmp_path / "out").exists()


def test_a_clock_that_goes_backwards_changes_nothing(server, own, undisturbed):
    """All that is in the caches was made ten years from now."""
    with sqlite3.connect(own.work / "journal.sqlite") as journal:
        journal.execute("UPDATE attempts SET at = at + ?", (TEN_YEARS_S,))
        journal.execute("INSERT INTO rests SELECT 'egress', max(at), 3, '' FROM attempts")
    for path in own.work.rglob("*"):
        os.utime(path, (path.stat().st_mtime + TEN_YEARS_S,) * 2)
    done, redone = own.run_and_count(server)
    assert done.returncode == 0
    assert redone == {"fetched": 0, "cut": 0}
    assert content(own.out) == content(undisturbed.out)


def test_a_file_that_was_missing_is_had_once_it_is_there(server, own, anew):
    write_sound(own.source / "media" / f"{GONE}.flac", seed=3)
    _, redone = own.run_and_count(server)
    assert redone == {"fetched": 1, "cut": 1}
    assert content(own.out) == anew(own.source)
