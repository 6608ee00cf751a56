"""`build.dataset.swap`: a folder is the old one or the new one, wherever a crash strikes."""

import shutil

import pytest

from build.dataset.swap import MARK, mend, put_in_place, staging
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


def test_an_empty_folder_may_be_built_into(tmp_path):
    (tmp_path / "out").mkdir()
    complete(staging(tmp_path / "out"), "new")
    shutil.rmtree(tmp_path / "out")
    put_in_place(tmp_path / "out")
    assert content(tmp_path / "out") == "new"
