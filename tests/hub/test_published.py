"""Reading back what was published, with the real client, from a Hub on this machine or from a folder."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

from build.errors import InputError, RunError
from build.hub.publish import parcel_of, upload
from build.hub.published import is_published, open_published, read_tables
from tests.hub.server import CUT
from tests.hub.source import GONE, TERMS


@pytest.fixture
def online(hub, silent):
    """A Hub that has the dataset as `org/moods`, at the tag v1.0.0."""
    upload(parcel_of(silent, silent), "org/moods", False, lambda line: None)
    hub.log.clear()
    return hub


def files(folder) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_built_folder_is_told_from_a_source_folder(built, source):
    assert is_published(str(built))
    assert is_published("hub:org/moods")
    assert not is_published(str(source))
    assert not is_published("sample")


def test_a_tag_is_downloaded_and_its_commit_is_known(online, silent):
    published = open_published("hub:org/moods@v1.0.0")
    assert files(published.root) == files(silent)
    assert published.repository == "org/moods"
    assert published.commit == online.repositories["org/moods"].tags["v1.0.0"]


def test_without_a_revision_it_is_the_newest(online, silent):
    repository = online.repositories["org/moods"]
    repository.commit(repository.commits[repository.tags["v1.0.0"]] | {"cover.png": b"image"}, "later")
    assert open_published("hub:org/moods").commit == repository.branches["main"]


def test_what_is_not_on_the_list_is_not_downloaded(online):
    repository = online.repositories["org/moods"]
    repository.commit(repository.commits[repository.tags["v1.0.0"]] | {"moods.py": b"", "x.bin": b""}, "later")
    open_published("hub:org/moods")
    assert not online.asked("GET", r"moods\.py|x\.bin")


@pytest.mark.parametrize("kind", [429, CUT])
def test_a_download_outlives_a_refusal_and_a_cut(online, silent, kind):
    online.fail("GET", r"resolve/.*/ratings/korean-train", kind)
    assert files(open_published("hub:org/moods@v1.0.0").root) == files(silent)


def test_after_a_500_the_same_command_fetches_the_rest(online, silent):
    online.fail("GET", "resolve/.*/terms/", 500)
    with pytest.raises(RunError, match=r"(?s)org/moods could not be downloaded: .*500.*; the same command goes on"):
        open_published("hub:org/moods@v1.0.0")
    online.log.clear()
    assert files(open_published("hub:org/moods@v1.0.0").root) == files(silent)
    assert online.asked("GET", "resolve/.*/terms/") == 1
    assert not online.asked("GET", "README.md")


def test_a_hub_that_is_down_is_a_failure_of_the_run(online):
    online.fail("GET", "/api/datasets/", 500, times=99)
    with pytest.raises(RunError, match=r"(?s)org/moods could not be downloaded: .*; the same command goes on"):
        open_published("hub:org/moods@v1.0.0")


def test_an_unknown_revision_is_told(online):
    with pytest.raises(InputError, match="org/moods has no revision 'v9'"):
        open_published("hub:org/moods@v9")


def test_an_unknown_repository_is_told(hub):
    with pytest.raises(InputError, match="there is no dataset org/none on the Hub that you may read"):
        open_published("hub:org/none")


@pytest.mark.parametrize("source", ["hub:", "hub:moods", "hub:org/moods@", "hub:org/moods/x", "hub:o g/moods"])
def test_another_form_is_refused(source):
    with pytest.raises(InputError, match=r"wanted hub:ORG/NAME or hub:ORG/NAME@REVISION"):
        open_published(source)


def test_files_that_were_changed_are_refused(copy):
    table = pq.read_table(copy / "terms/train-00000-of-00001.parquet")
    pq.write_table(table.slice(1), copy / "terms/train-00000-of-00001.parquet")
    with pytest.raises(InputError, match=r"it is not what MANIFEST.json says .*the first: terms/train-00000"):
        open_published(str(copy))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": "other"}, "names 'other'"),
        ({"inputs": None}, "has no 'inputs'"),
        ({"options": {"limit": None}}, "has no option 'seed'"),
        ({"options": {"seed": "zero"}}, "has 'zero' as the option 'seed'"),
        ({"options": {"seed": 0, "loudness_lufs": "loud"}}, "has 'loud' as the option 'loudness_lufs'"),
        ({"facts": []}, "has no 'facts'"),
        ({"facts": {"ratings": 3}}, "has no counts of dropped ratings"),
        ({"facts": {"ratings": {"dropped": {"off_scale": -1}}}}, "has no counts of dropped ratings"),
        ({"facts": {"ratings": {"dropped": {"off_scale": 10**12}}}}, "has more than 20000000 dropped ratings"),
        ({"files": {}}, r"lists no songs/train-\*\.parquet"),
    ],
)
def test_a_manifest_of_something_else_is_refused(copy, change, told):
    manifest = json.loads((copy / "MANIFEST.json").read_text()) | change
    (copy / "MANIFEST.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=rf"MANIFEST\.json {told}"):
        open_published(str(copy))


def test_a_table_that_the_manifest_does_not_list_is_not_read(copy):
    songs = copy / "songs/train-00000-of-00001.parquet"
    before = read_tables(open_published(str(copy)))
    shutil.copy(songs, copy / "songs/train-more.parquet")
    shutil.copy(copy / "terms/train-00000-of-00001.parquet", copy / "terms/train-more.parquet")
    after = read_tables(open_published(str(copy)))
    assert after.songs.equals(before.songs)
    assert after.terms.equals(before.terms)


def test_the_tables_are_those_that_it_was_built_from(built):
    workspace = built.parent / "work" / "tables"
    tables = read_tables(open_published(str(built)))
    for name in ("splits", "cells", "terms", "lexicon", "chains", "participants"):
        made = pq.read_table(workspace / f"{name}.parquet")
        assert getattr(tables, name).to_pylist() == made.to_pylist(), name
    key = [(name, "ascending") for name in ("language", "song_id", "participant", "term_id")]
    made = pq.read_table(workspace / "ratings.parquet")
    assert tables.ratings.sort_by(key).to_pylist() == made.sort_by(key).to_pylist()


def test_songs_have_no_url_and_excerpts_no_path(built):
    workspace = built.parent / "work" / "tables"
    tables = read_tables(open_published(str(built)))
    songs = pq.read_table(workspace / "songs.parquet").to_pylist()
    assert tables.songs.to_pylist() == [song | {"url": None, "start_s": None} for song in songs]
    clips = pq.read_table(workspace / "clips.parquet").to_pylist()
    assert tables.clips.to_pylist() == [clip | {"path": None, "message": None} for clip in clips]


def test_what_was_dropped_is_counted_by_its_reason(built):
    reasons = read_tables(open_published(str(built))).dropped["reason"].to_pylist()
    assert sorted(reasons) == ["off_scale", "unknown_term"]


def test_the_small_dataset_is_what_the_tests_think(built):
    tables = read_tables(open_published(str(built)))
    assert tables.terms.num_rows == 2 * len(TERMS)
    status = {clip["song_id"]: clip["status"] for clip in tables.clips.to_pylist()}
    assert status[GONE] == "not_found"
    assert list(status.values()).count("ok") == 7
