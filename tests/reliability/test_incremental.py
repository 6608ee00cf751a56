"""What has not changed is not done again: counted in tracks fetched and excerpts cut, and seen in shards' bytes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from build.workspace import REPOSITORY
from tests.reliability.trial import content, edit, write_sound

SONGS, RATINGS = "songmeta_GlobalMood.csv", "rawrating_GlobalMood.csv"
TERMS = "rating_dimensions/{}_STEP_for_dense_rate.csv"
FIGURES = {f"figures/{name}.png" for name in ("terms", "space", "agreement", "ratings")}
DESCRIBED = {"README.md", "croissant.json", "MANIFEST.json"} | FIGURES  # files that tell of the others
SIXTH = "italian,it-IT,Italian,listeners in Italy,IT,it,it|it-IT|italian|IT,Latin,20\n"


def changed(before: dict[str, str], out: Path) -> set[str]:
    """Files of a built folder that have other bytes than before."""
    after = content(out)
    assert before.keys() == after.keys()
    return {name for name in before if before[name] != after[name]}


def with_rows_of(out: Path, folder: str, song_id: str) -> set[str]:
    """Files below a folder of the built dataset that hold rows of a song."""
    ids = {path: pq.read_table(path, columns=["song_id"])["song_id"].to_pylist() for path in (out / folder).iterdir()}
    return {str(path.relative_to(out)) for path, there in ids.items() if song_id in there}


def test_nothing_changed(server, own, undisturbed):
    _, redone = own.run_and_count(server)
    assert redone == {"fetched": 0, "cut": 0}
    assert content(own.out) == content(undisturbed.out)


def test_one_changed_rating_changes_the_files_of_its_song_alone(server, own, undisturbed, anew):
    edit(own.source / RATINGS, lambda rows: [rows[0], [*rows[1][:-1], 6 - int(rows[1][-1])], *rows[2:]])
    _, redone = own.run_and_count(server)
    assert redone == {"fetched": 0, "cut": 0}
    touched = with_rows_of(own.out, "data", "song-00") | with_rows_of(own.out, "ratings", "song-00")
    found = changed(content(undisturbed.out), own.out) - DESCRIBED
    assert found
    assert found <= touched
    assert content(own.out) == anew(own.source)


def test_one_new_song_is_the_only_one_that_is_made(server, own, undisturbed, anew):
    write_sound(own.source / "media" / "another.flac", seed=4)
    edit(own.source / SONGS, lambda rows: [*rows, ["song-new", "KR", "Title", "Artist", "media/another.flac", ""]])
    _, redone = own.run_and_count(server)
    assert redone == {"fetched": 1, "cut": 1}
    for name in changed(content(undisturbed.out), own.out) - DESCRIBED:
        assert not pq.read_table(own.out / name).equals(pq.read_table(undisturbed.out / name)), f"{name}: the same rows"
    assert content(own.out) == anew(own.source)


def test_one_new_language_makes_no_sound_and_leaves_the_other_ratings(server, own, undisturbed, anew):
    """A source that had ratings in English gets those in Korean."""
    whole = {path: path.read_bytes() for path in (own.source / RATINGS, own.source / TERMS.format("ko"))}
    edit(own.source / RATINGS, lambda rows: [row for row in rows if row[2] != "ko"])
    (own.source / TERMS.format("ko")).unlink()
    own.run(server)
    before = content(own.out)
    for path, payload in whole.items():
        path.write_bytes(payload)
    _, redone = own.run_and_count(server)
    assert redone == {"fetched": 0, "cut": 0}
    assert not [name for name in changed(before, own.out) if name.startswith("ratings/") and "korean" not in name]
    assert content(own.out) == content(undisturbed.out)


@pytest.mark.slow
def test_a_sixth_language_is_a_row_and_makes_no_sound(own, tmp_path):
    clone = tmp_path / "clone"
    subprocess.run([shutil.which("git"), "clone", "--quiet", str(REPOSITORY), str(clone)], check=True)
    with open(clone / "metadata/languages.csv", "a", encoding="utf-8") as file:
        file.write(SIXTH)
    shutil.copy(own.source / TERMS.format("en"), own.source / TERMS.format("it"))
    edit(own.source / RATINGS, lambda rows: [*rows, ["song-00", "person 9", "it", "term 1", "4"]])
    had, cut = own._had(), own._cut()
    command = [sys.executable, "-m", "build", *map(str, own.command())]
    subprocess.run(command, cwd=clone, env=os.environ | {"PYTHONPATH": ""}, check=True)
    assert (own._had(), own._cut()) == (had, cut)
    table = pq.read_table(own.out / "ratings/italian-train-00000-of-00001.parquet")
    assert table.num_rows + pq.read_table(own.out / "ratings/italian-test-00000-of-00001.parquet").num_rows == 1
