"""`build.dataset.store` and the cards of what lies there."""

import json

import pytest
import yaml

from build import storage
from build.dataset.shards import write_songs
from build.dataset.store import MARK, named_by_content, require_ours, uploading, write_file
from build.errors import InputError, RunError
from build.files import write_bytes
from build.validate.card import check_card
from tests.dataset.test_shards import rows_of
from tests.scale.conftest import build

NAME = "data/train-00000-of-00001.parquet"
FILES = {"all": {"train": "data/train-*.parquet"}}


@pytest.fixture
def out(request):
    folder = storage.at(f"memory://{request.node.name}")
    yield folder
    folder.fs.rm("/", recursive=True)


def write(path, ids=("a", "b")):
    write_songs(path, rows_of(ids))


def test_a_file_is_named_by_its_content_on_a_store_alone(out, tmp_path):
    (here, described), (there, same) = write_file(tmp_path, NAME, write), write_file(out, NAME, write)
    assert described == same
    assert (here, there) == (NAME, named_by_content(NAME, described["sha256"]))
    assert storage.read_bytes(out / there) == (tmp_path / NAME).read_bytes()
    assert write_file(out, NAME, lambda path: write(path, ("c",)))[0] != there


def test_a_file_that_is_there_is_not_sent_again(out, monkeypatch):
    write_file(out, NAME, write)
    monkeypatch.setattr(storage, "put", lambda *_: pytest.fail("it was sent again"))
    write_file(out, NAME, write)


def test_what_a_killed_build_left_may_be_built_upon_and_a_card_of_others_not(out):
    write_bytes(out / "README.md", b"mine")
    with pytest.raises(InputError, match=f"holds a README.md and no built dataset .it has no {MARK}."):
        require_ours(out)
    name, _ = write_file(out, NAME, write)
    assert require_ours(out) == {name}


NOT_OURS = (
    f"globalmood/{named_by_content(NAME, '0123456789ab')}",  # a dataset of its own
    "data/part-00000-1b4e28ba-2fa1-11d2-883f-0016d3cca427.parquet",  # as others number theirs
    "data/mine-0123456789ab.parquet",
    f"old/{NAME.removesuffix('.parquet')}-0123456789ab.parquet",
)


def test_what_a_build_did_not_make_is_not_deleted_by_one(out):
    mine, _ = write_file(out, NAME, write)
    for name in NOT_OURS:
        write_bytes(out / name, b"theirs")
    assert require_ours(out) == {mine}
    with uploading(out) as folder:
        write_bytes(folder / "README.md", b"card")
        write_bytes(folder / MARK, b'{"files": {}, "audio": {}}')
    assert set(storage.names_below(out)) == {*NOT_OURS, "README.md", MARK}


def test_a_dataset_in_a_folder_below_another_outlives_its_builds(out, source, tmp_path):
    build(source, tmp_path / "work", out / "globalmood", audio=False, limit=2)
    before = content(out / "globalmood")
    for limit in (2, 3):
        build(source, tmp_path / "work", out, audio=False, limit=limit)
    assert content(out / "globalmood") == before


def content(out) -> dict[str, bytes]:
    return {name: storage.read_bytes(out / name) for name in storage.names_below(out)}


def test_until_the_new_card_is_there_the_old_dataset_is_whole(out, source, tmp_path, monkeypatch):
    build(source, tmp_path / "work", out, audio=False, limit=2)
    old, put = content(out), storage.put

    def break_off(local, path):
        if path.name == "README.md":
            raise RunError("the line is down")
        put(local, path)

    with monkeypatch.context() as patch, pytest.raises(RunError, match="the line is down"):
        patch.setattr(storage, "put", break_off)
        build(source, tmp_path / "work", out, audio=False, limit=3)
    between = content(out)
    unnamed = {"croissant.json", "eval.yaml"}  # no part of what is loaded
    assert {name: between[name] for name in set(old) - unnamed} == {name: old[name] for name in set(old) - unnamed}
    build(source, tmp_path / "work", out, audio=False, limit=3)
    files = set(json.loads(content(out)[MARK])["files"])
    assert set(content(out)) == files | {MARK}
    assert files != set(old) - {MARK}


@pytest.mark.parametrize(
    ("path", "is_fine"),
    [
        ("data/train-*.parquet", True),
        (["data/train-0-0123456789ab.parquet", "data/train-1-0123456789ab.parquet"], True),
        ([], False),
        (["data/train-*"], False),
        (["data/train-/../../secret.parquet"], False),
        (["other/train-0.parquet"], False),
        ("data/train-0.parquet", False),
        ([["data/train-0.parquet"]], False),
    ],
)
def test_a_card_may_list_its_files_and_no_others(tmp_path, path, is_fine):
    configs = [{"config_name": "all", "data_files": [{"split": "train", "path": path}]}]
    (tmp_path / "README.md").write_text(f"---\n{yaml.safe_dump({'configs': configs})}---\n")
    assert (not list(check_card(tmp_path, FILES))) == is_fine
