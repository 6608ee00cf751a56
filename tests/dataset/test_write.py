"""`build.dataset.write`: which files a card has `datasets` read, and a card that is rendered again."""

import json
import shutil

import pytest

from build.dataset.write import paths_to_read, rewrite_card
from build.errors import InputError
from build.validate import validate
from globalmood import FILES
from tests.hub.source import write_source
from tests.scale.conftest import build

ENGLISH, KOREAN = (f"ratings/{name}-train-00000-of-00001.parquet" for name in ("english", "korean"))


def test_a_card_reads_globs_where_every_file_has_rows():
    assert paths_to_read({ENGLISH: {"rows": 4}, KOREAN: {"rows": 5}}) == FILES


def test_a_card_passes_a_file_without_rows_over():
    paths = paths_to_read({ENGLISH: {"rows": 0}, KOREAN: {"rows": 5}})
    assert paths["ratings"] == {"train": [KOREAN], "test": FILES["ratings"]["test"]}
    assert paths["english_ratings"] == FILES["english_ratings"], "a config without any rows"


def test_files_named_by_their_content_are_listed_one_by_one():
    named = "ratings/korean-train-00000-of-00001-0123456789ab.parquet"
    assert paths_to_read({named: {"rows": 5}})["korean_ratings"]["train"] == [named]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A built folder of a few songs without sound; only read."""
    root = tmp_path_factory.mktemp("small")
    build(write_source(root / "source", 4), root / "work", root / "globalmood", audio=False)
    return root / "globalmood"


@pytest.fixture
def built(small, tmp_path):
    """A copy of it, to be spoilt."""
    return shutil.copytree(small, tmp_path / "globalmood")


def content(folder) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def change_manifest(folder, **change):
    path = folder / "MANIFEST.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))


def test_a_card_that_is_rendered_again_is_the_same_and_so_is_the_manifest(built, small):
    rewrite_card(built)
    assert content(built) == content(small)


def test_a_card_that_is_rendered_again_stands_in_the_manifest(built):
    for name in ("README.md", "croissant.json", "eval.yaml"):
        (built / name).write_text("old")
    rewrite_card(built)
    assert not validate(built)


def test_the_manifest_still_tells_the_packages_that_made_the_dataset(built):
    change_manifest(built, packages={"numpy": "0.0.1"})
    rewrite_card(built)
    assert json.loads((built / "MANIFEST.json").read_text())["packages"] == {"numpy": "0.0.1"}


def test_damage_is_not_admitted_with_a_new_card(built):
    damaged, gone = "terms/train-00000-of-00001.parquet", "lexicon/train-00000-of-00001.parquet"
    (built / damaged).write_bytes(b"x" + (built / damaged).read_bytes())
    (built / gone).unlink()
    (built / "notes.txt").write_text("mine")
    rewrite_card(built)
    findings = validate(built)
    assert findings.missing == [f"{gone}: not there"]
    assert findings.extra == ["notes.txt: not in MANIFEST.json"]
    assert any(line.startswith(f"{damaged}: its SHA-256 is") for line in findings.invalid)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "madb"}, "no built globalmood, whose card alone can be rendered again"),
        ({"facts": None}, "no built globalmood, whose card alone can be rendered again"),
        ({"version": "0.9.0"}, r"built by version 0\.9\.0, this is .*; build it again"),
    ],
)
def test_a_card_of_something_else_is_not_rendered_again(built, change, message):
    change_manifest(built, **change)
    before = content(built)
    with pytest.raises(InputError, match=message):
        rewrite_card(built)
    assert content(built) == before
