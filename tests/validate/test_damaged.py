"""`build.validate` on damaged folders: the report names what is damaged, blames nothing else, and comes to its end."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build.dataset.shards import write_table
from build.files import sha256_of
from build.validate import files, validate
from globalmood import FEATURES
from tests.fuzz.files import given_or_refused
from tests.hub.source import write_source
from tests.scale.conftest import build
from tests.validate.damage import DAMAGES, blamed_by

KOREAN = [f"ratings/korean-{split}-00000-of-00001.parquet" for split in ("train", "test")]
KINDS = (
    "README.md",
    "croissant.json",
    "eval.yaml",
    "data/train-*.parquet",
    "data/test-*.parquet",
    "songs/train-*.parquet",
    *KOREAN,
    "terms/train-*.parquet",
    "lexicon/train-*.parquet",
    "chains/train-*.parquet",
    "participants/train-*.parquet",
)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A built folder of a few songs with sound, rated in English and Korean; only read."""
    root = tmp_path_factory.mktemp("small")
    build(write_source(root / "source", 4), root / "work", root / "globalmood", workers=1)
    return root / "globalmood"


@pytest.fixture
def built(small, tmp_path):
    """A copy of it, to be spoilt."""
    return shutil.copytree(small, tmp_path / "globalmood")


def change_manifest(built, change) -> None:
    manifest = json.loads((built / "MANIFEST.json").read_text())
    change(manifest)
    (built / "MANIFEST.json").write_text(json.dumps(manifest))


def admit(built, name: str) -> None:
    """Have the manifest describe a file as it is now, as someone would who wants its damage not to be noticed."""
    entry = {"sha256": sha256_of(built / name), "bytes": 1, "rows": pq.read_metadata(built / name).num_rows}
    change_manifest(built, lambda manifest: manifest["files"].update({name: entry}))


def test_a_whole_folder_has_nothing_wrong(small):
    assert blamed_by(validate(small)) == set()


@pytest.mark.parametrize("pattern", KINDS)
@pytest.mark.parametrize("how", DAMAGES, ids=lambda how: how.__name__)
def test_a_damaged_file_is_found_and_no_other_is_blamed(built, pattern, how):
    path = sorted(built.glob(pattern))[0]
    how(path)
    assert blamed_by(validate(built)) == {path.relative_to(built).as_posix()}


@pytest.mark.parametrize("how", DAMAGES, ids=lambda how: how.__name__)
def test_both_files_of_a_language_may_be_damaged(built, how):
    for name in KOREAN:
        how(built / name)
    assert blamed_by(validate(built)) == set(KOREAN)


def test_means_of_the_other_languages_are_compared_where_the_ratings_of_one_cannot_be_read(built):
    (built / KOREAN[0]).unlink()
    name = "ratings/english-train-00000-of-00001.parquet"
    write_table(built / name, FEATURES["ratings"], pq.read_table(built / name).slice(1))
    admit(built, name)
    lines = [line for line in validate(built).invalid if "the ratings give" in line]
    assert len(lines) == 1
    assert lines[0].startswith("data/train-")


@pytest.mark.parametrize("pattern", KINDS[:1] + KINDS[3:])
def test_a_file_that_the_manifest_does_not_list_either_is_missing(built, pattern):
    gone = {path.relative_to(built).as_posix() for path in built.glob(pattern)}
    for name in gone:
        (built / name).unlink()
    change_manifest(built, lambda manifest: [manifest["files"].pop(name) for name in gone])
    glob = pattern.replace("-00000-of-00001", "-*")
    assert f"{glob}: MANIFEST.json lists no such file" in validate(built).missing


def test_a_file_that_the_disk_does_not_give_is_found(built, monkeypatch):
    def failing(path):
        raise OSError(5, "Input/output error", str(path))

    monkeypatch.setattr(files, "sha256_of", failing)
    invalid = validate(built).invalid
    assert f"README.md: cannot be read: [Errno 5] Input/output error: '{built}/README.md'" in invalid


def test_ratings_of_another_language_are_found(built):
    name = "ratings/english-train-00000-of-00001.parquet"
    shutil.copy(built / KOREAN[0], built / name)
    admit(built, name)
    assert any(
        line.startswith(f"{name}: ") and "ratings of another language" in line for line in validate(built).invalid
    )


def test_more_answers_than_can_be_counted_are_found(built):
    table = pq.read_table(built / KOREAN[0])
    many = pa.concat_tables([table, *[table.slice(0, 1)] * 40_000])
    write_table(built / KOREAN[0], FEATURES["ratings"], many)
    admit(built, KOREAN[0])
    assert any(line.startswith(f"{KOREAN[0]}: cannot be summed up: ") for line in validate(built).invalid)


def test_a_date_that_no_calendar_has_is_found(built):
    name = "songs/test-00000-of-00001.parquet"
    table = pq.read_table(built / name)
    days = pa.array([2**31 - 1] * table.num_rows, pa.int32()).cast(pa.date32())
    place = table.column_names.index("first_chart_week")
    write_table(built / name, FEATURES["songs"], table.set_column(place, table.field(place), days))
    admit(built, name)
    assert validate(built).invalid == ["songs/: the songs of test are not what data/ says of them"]


def test_a_name_of_a_payload_that_is_no_text_is_found(built):
    path = sorted(built.glob("data/train-*.parquet"))[0]
    table = pq.read_table(path)
    audio, place = table["audio"].combine_chunks(), table.column_names.index("audio")
    names = pa.array([b"\xff.flac"] * len(audio), pa.binary())
    names = pa.Array.from_buffers(pa.string(), len(audio), names.buffers())
    spoilt = pa.StructArray.from_arrays([audio.field("bytes"), names], fields=list(audio.type))
    pq.write_table(table.set_column(place, table.field(place), spoilt), path, row_group_size=8)
    name = path.relative_to(built).as_posix()
    admit(built, name)
    assert blamed_by(validate(built)) == {name}


SHAPES = (
    {},
    [],
    None,
    {"files": None},
    {"audio": []},
    {"files": {"README.md": None}},
    {"files": {"README.md": {"sha256": 1, "bytes": 1}}},
    {"files": {"README.md": {"sha256": "", "bytes": None}}},
    {"options": None},
    {"options": []},
    {"name": None},
    {"name": ["madb"]},
)


@pytest.mark.parametrize("name", ["globalmood", "madb"])
@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_a_manifest_of_another_shape_is_refused_or_reported(built, shape, name):
    good = json.loads((built / "MANIFEST.json").read_text()) | {"name": name}
    (built / "MANIFEST.json").write_text(json.dumps(good | shape if isinstance(shape, dict) else shape))
    given_or_refused(lambda: validate(built), built / "MANIFEST.json")


@pytest.mark.parametrize(
    "change",
    [
        {"audio": {"song-00": None, "song-01": 3, "nobody": ["x"]}},
        {"audio_withheld": "yes"},
        {"facts": None, "version": [], "packages": 3},
        {"options": {"limit": {}}},
        {"files": {"data": {"sha256": "", "bytes": 0}, "": {"sha256": "", "bytes": 0}}},
        {"files": {"data/train-.parquet": {"sha256": "", "bytes": 0, "rows": "x"}}},
    ],
    ids=repr,
)
def test_odd_values_in_a_manifest_are_reported(built, change):
    change_manifest(built, lambda manifest: manifest.update(change))
    validate(built)
