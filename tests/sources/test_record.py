"""`build.sources.record`: what has changed in a source since it was last built from."""

import json

import pytest

from build.sources.record import changes, changes_since, keep


def test_changed_gone_and_new(tmp_path):
    keep(tmp_path / "record", tmp_path, {"a.csv": "1", "b.csv": "1", "c.csv": "1"})
    found = changes_since(tmp_path / "record", tmp_path, {"a.csv": "2", "c.csv": "1", "d.csv": "1"})
    assert found == ["changed: a.csv", "gone: b.csv", "new: d.csv"]


def test_another_source_has_not_changed(tmp_path):
    keep(tmp_path / "record", tmp_path, {"a.csv": "1"})
    assert changes_since(tmp_path / "record", tmp_path / "other", {"a.csv": "2"}) == []


def test_many_files_are_counted():
    assert changes({f"{n}.csv": "" for n in range(9)}, {}) == ["gone: 0.csv, 1.csv, 2.csv, 3.csv, 4.csv and 4 more"]


@pytest.mark.parametrize("content", [None, b"", bytes(20), b"[]", b"3", json.dumps({"root": 1, "inputs": 2}).encode()])
def test_a_record_that_is_none_tells_nothing(tmp_path, content):
    if content is not None:
        (tmp_path / "record").write_bytes(content)
    assert changes_since(tmp_path / "record", tmp_path, {"a.csv": "1"}) == []
