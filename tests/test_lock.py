"""`build.lock`: who holds a folder, and what the others are told; `tests.fetch.test_lock` kills holders."""

import os

import pytest

from build.errors import RunError
from build.lock import built_folder, holder, only_one, work_folder


@pytest.mark.parametrize(
    ("hold", "message"),
    [
        (work_folder, "builds in {folder} already: let it end, or give this one another --work"),
        (built_folder, "builds {folder} already: let it end, or give this one another --out"),
    ],
)
def test_a_second_one_is_told_who_holds_it_and_what_to_do(tmp_path, hold, message):
    folder = tmp_path / "folder"
    with (
        hold(folder),
        pytest.raises(RunError, match=f"process {os.getpid()} {message.format(folder=folder)}"),
        hold(folder),
    ):
        pass
    with hold(folder):
        pass


def test_two_built_folders_side_by_side_are_two_places(tmp_path):
    with built_folder(tmp_path / "globalmood"), built_folder(tmp_path / "madb"):
        pass


def test_a_link_to_a_built_folder_is_the_same_place(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with built_folder(tmp_path / "real"), pytest.raises(RunError, match="already"), built_folder(tmp_path / "link"):
        pass


def test_holding_a_built_folder_does_not_make_it(tmp_path):
    with built_folder(tmp_path / "out"):
        assert not (tmp_path / "out").exists()


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(RunError, match=r"file.* cannot be written .*: give another --work"),
        work_folder(tmp_path / "file"),
    ):
        pass


def test_the_holder_is_known_while_it_holds(tmp_path):
    lock = tmp_path / "a.lock"
    with only_one(lock, "works", "--work"):
        assert holder(lock) == os.getpid()
    assert holder(lock) is None
