"""`build.dataset.swap`: a folder is the old one or the new one, wherever a crash strikes."""

import os
import shutil

import pytest

from build.dataset.swap import MARK, mend, put_in_place, replacing, staging
from build.errors import InputError


def complete(folder, content: str):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).write_text(content)


def content(out) -> str:
    return (out / MARK).read_text()


def test_the_first_build_appears(tmp_path):
    out = tmp_path / "globalmood"
    complete(staging(out), "new")
    assert not out.exists(), "nothing appears before the swap"
    put_in_place(out)
    assert content(out) == "new"


def test_a_later_build_replaces_the_folder_and_leaves_nothing_beside_it(tmp_path):
    out = tmp_path / "globalmood"
    complete(out, "old")
    (out / "gone.parquet").touch()
    complete(staging(out), "new")
    put_in_place(out)
    assert [path.name for path in tmp_path.iterdir()] == ["globalmood"]
    assert [path.name for path in out.iterdir()] == [MARK]


def test_an_interrupted_build_leaves_the_old_folder(tmp_path):
    out = tmp_path / "globalmood"
    complete(out, "old")
    (staging(out) / "half.parquet").touch()
    mend(out)
    assert content(out) == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["globalmood"]


@pytest.mark.parametrize(("new", "wanted"), [("new", "new"), (None, "old")])
def test_a_crash_between_the_two_renames_is_mended(tmp_path, new, wanted):
    out = tmp_path / "globalmood"
    complete(tmp_path / ".globalmood.old", "old")
    if new:
        complete(tmp_path / ".globalmood.new", new)
    mend(out)
    assert content(out) == wanted
    assert [path.name for path in tmp_path.iterdir()] == ["globalmood"]


def test_a_crash_after_the_swap_leaves_only_the_new_folder(tmp_path):
    out = tmp_path / "globalmood"
    complete(out, "new")
    complete(tmp_path / ".globalmood.old", "old")
    mend(out)
    assert content(out) == "new"
    assert not (tmp_path / ".globalmood.old").exists()


def test_a_folder_that_is_no_built_dataset_is_not_replaced(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").touch()
    with pytest.raises(InputError, match=r"thesis: exists and is not a built dataset \(it has no MANIFEST\.json\)"):
        staging(tmp_path / "thesis")
    assert (tmp_path / "thesis" / "chapter1.tex").exists()


@pytest.mark.parametrize("place", ["other", "sets/other"])
def test_a_dataset_inside_of_another_one_is_not_deleted_with_it(tmp_path, place):
    out = tmp_path / "globalmood"
    complete(out, "outer")
    complete(out / place, "inner")
    with pytest.raises(InputError, match=f"{place}: a dataset inside of .*globalmood, which a build would delete"):
        staging(out)
    assert content(out / place) == "inner"


def test_an_empty_folder_may_be_built_into(tmp_path):
    (tmp_path / "out").mkdir()
    complete(staging(tmp_path / "out"), "new")
    shutil.rmtree(tmp_path / "out")
    put_in_place(tmp_path / "out")
    assert content(tmp_path / "out") == "new"


def test_an_error_leaves_the_old_folder_and_takes_no_room(tmp_path):
    out = tmp_path / "globalmood"
    complete(out, "old")
    with pytest.raises(ZeroDivisionError), replacing(out) as folder:
        (folder / "half.parquet").touch()
        raise ZeroDivisionError
    assert content(out) == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["globalmood"]


def test_what_a_crash_left_of_a_deleted_folder_is_not_taken_for_a_whole_one(tmp_path):
    """Killed while the old folder was deleted; then its user removed the new one."""
    (tmp_path / ".globalmood.old" / "data").mkdir(parents=True)
    mend(tmp_path / "globalmood")
    assert not list(tmp_path.iterdir())


def test_a_link_stays_and_leads_to_the_new_folder(tmp_path):
    complete(tmp_path / "disk" / "real", "old")
    (tmp_path / "globalmood").symlink_to(tmp_path / "disk" / "real")
    with replacing(tmp_path / "globalmood") as folder:
        complete(folder, "new")
    assert (tmp_path / "globalmood").is_symlink()
    assert content(tmp_path / "disk" / "real") == "new"
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["real"]


def test_nothing_is_opened_beside_the_folder(tmp_path):
    """A pipe in the same place would hold the build up for ever."""
    os.mkfifo(tmp_path / "pipe")
    with replacing(tmp_path / "globalmood") as folder:
        complete(folder, "new")
    assert content(tmp_path / "globalmood") == "new"
