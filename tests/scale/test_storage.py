"""`build.storage`: paths here and on a store, for which fsspec's own in memory stands in."""

from pathlib import Path

import pytest

from build import storage
from build.errors import InputError, RunError, in_words
from build.files import read_table, write_bytes, write_table
from build.workspace import Workspace, open_workspace


@pytest.fixture
def store(request):
    folder = storage.at(f"memory://{request.node.name.replace('[', '-').replace(']', '')}")
    yield folder
    folder.fs.rm("/", recursive=True)


def test_a_path_stays_a_path_and_an_address_keeps_its_scheme(tmp_path):
    assert storage.at(str(tmp_path)) == tmp_path
    assert storage.at(tmp_path) is tmp_path
    assert str(storage.at("memory://bucket/a/b")) == "memory://bucket/a/b"
    assert [storage.is_remote(path) for path in ("s3://b/x", storage.at("memory://b"), "work", "C:/x", tmp_path)] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_files_and_tables_are_written_there_and_read_back(store):
    import pyarrow as pa

    write_bytes(store / "clips" / "a.flac", b"sound")
    write_table(store / "tables" / "songs.parquet", pa.table({"song_id": ["a"]}))
    assert storage.read_bytes(store / "clips" / "a.flac") == b"sound"
    assert read_table(store / "tables" / "songs.parquet", "songs").to_pylist() == [{"song_id": "a"}]
    assert storage.names_below(store) == ["clips/a.flac", "tables/songs.parquet"]
    with pytest.raises(InputError, match=r"cells.parquet is not there: run `python -m build ratings` first"):
        read_table(store / "tables" / "cells.parquet", "ratings")


def test_a_file_at_hand_is_itself_or_a_copy_that_goes(store, tmp_path):
    (tmp_path / "a").write_bytes(b"here")
    storage.put(tmp_path / "a", store / "a")
    with storage.at_hand(tmp_path / "a") as here, storage.at_hand(store / "a") as copy:
        assert (here, copy.read_bytes()) == (tmp_path / "a", b"here")
    assert not copy.exists()


def test_a_moved_file_is_there_alone(store, tmp_path):
    (tmp_path / "a").write_bytes(b"track")
    assert storage.move(tmp_path / "a", store / "b") == store / "b"
    assert (storage.size_of(store / "b"), storage.size_of(tmp_path / "a")) == (5, None)


def test_a_copy_follows_the_store_and_reads_nothing_twice(store, tmp_path, monkeypatch):
    for name in ("songs.csv", "media/a.flac", "media/b.flac"):
        write_bytes(store / name, name.encode())
    copy = storage.copied_in(store, tmp_path / "copy")
    assert (copy / "media" / "a.flac").read_bytes() == b"media/a.flac"
    storage.delete(store / "media" / "b.flac")
    write_bytes(store / "songs.csv", b"other")
    read = []
    get = type(store.fs).get_file
    monkeypatch.setattr(type(store.fs), "get_file", lambda fs, *paths: (read.append(paths[0]), get(fs, *paths)))
    storage.copied_in(store, tmp_path / "copy")
    assert [path.rpartition("/")[2] for path in read] == ["songs.csv"]
    assert (copy / "songs.csv").read_bytes() == b"other"
    assert sorted(path.name for path in copy.rglob("*") if path.is_file()) == ["a.flac", "songs.csv"]


def test_a_copy_that_breaks_off_is_an_error(store, tmp_path, monkeypatch):
    write_bytes(store / "songs.csv", b"the whole")
    monkeypatch.setattr(type(store.fs), "get_file", lambda fs, key, path: Path(path).write_bytes(b"the"))
    with pytest.raises(RunError, match=r"songs.csv: 3 of 9 bytes came"):
        storage.copied_in(store, tmp_path / "copy")


def test_a_store_that_fails_is_an_error_of_the_run(store, monkeypatch):
    def fail(*_):
        raise LookupError("no route")

    monkeypatch.setattr(type(store.fs), "find", fail)
    with pytest.raises(RunError, match="the store does not do it: LookupError: no route"):
        storage.names_below(store)


@pytest.mark.parametrize("kind", [FileNotFoundError, PermissionError, OSError])
def test_an_error_of_a_store_says_where(store, monkeypatch, kind):
    def fail(*_):
        raise kind("no such bucket")

    monkeypatch.setattr(type(store.fs), "find", fail)
    with pytest.raises(kind, match="no such bucket") as raised:
        storage.names_below(store)
    assert in_words(raised.value).startswith(f"{store}: no such bucket; ")


def test_of_a_work_folder_on_a_store_the_journal_is_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    address = storage.at("memory://bucket/work")
    workspace = open_workspace(address)
    assert [workspace.audio, workspace.clips, workspace.tables] == [address / n for n in ("audio", "clips", "tables")]
    assert workspace.journal.parent.parent.resolve() == tmp_path / "work"
    assert workspace.unfinished.is_relative_to(workspace.root)
    assert open_workspace(tmp_path) == Workspace(tmp_path)


def test_what_is_wanted_here_is_no_address(tmp_path):
    assert storage.here(str(tmp_path)) == tmp_path
    with pytest.raises(InputError, match="s3://bucket/work: a folder of this machine is wanted here"):
        storage.here("s3://bucket/work")
