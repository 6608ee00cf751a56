"""`build.dataset.store` and the cards of what lies there."""

import pytest
import yaml

from build import storage
from build.dataset.shards import write_songs
from build.dataset.store import MARK, named_by_content, require_ours, write_file
from build.errors import InputError
from build.files import write_bytes
from build.validate.card import check_card
from tests.dataset.test_shards import rows_of

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
