"""A whole folder passes, and every single thing that is off is found and named."""

import hashlib
import json
import shutil
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import soundfile

from build.dataset.shards import write_table
from build.errors import InputError
from build.files import sha256_of
from build.madb import validate
from build.madb.build import MadbOptions, build_madb
from build.madb.contract import FEATURES
from build.madb.validate import validate_madb
from build.workspace import Workspace
from tests.madb.made import annotations, source
from tests.validate.damage import DAMAGES, blamed_by


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    root = tmp_path_factory.mktemp("madb")
    options = MadbOptions(str(source(root / "source", annotations=annotations())), None, root / "madb")
    build_madb(options, Workspace(root / "work"), lambda _: None)
    return root / "madb"


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "madb")


def shard_of(folder, track):
    return next(path for path in folder.glob("scores/*") if track in pq.read_table(path)["id"].to_pylist())


def rewrite(folder, path, config, change):
    """Change rows, and record the new hash as someone would who wants it not to be noticed."""
    rows = pq.read_table(path).to_pylist()
    for row in rows:
        change(row)
    write_table(path, FEATURES[config], pa.Table.from_pylist(rows, FEATURES[config].arrow_schema))
    admit(folder, path)


def admit(folder, path):
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    entry = manifest["files"][path.relative_to(folder).as_posix()]
    entry |= {"sha256": sha256_of(path), "rows": pq.read_metadata(path).num_rows}
    (folder / "MANIFEST.json").write_text(json.dumps(manifest))


def test_a_whole_folder_passes(whole):
    findings = validate_madb(whole)
    assert not findings, findings


def test_a_changed_file_is_found(folder):
    path = folder / "README.md"
    path.write_text("x")
    assert validate_madb(folder).invalid[0].startswith("README.md: its SHA-256 is")


def test_a_missing_and_an_extra_file_are_found(folder):
    (folder / "eval.yaml").rename(folder / "other.yaml")
    findings = validate_madb(folder)
    assert (findings.missing, findings.extra) == (["eval.yaml: not there"], ["other.yaml: not in MANIFEST.json"])


def spoil(row, track, **change):
    if row["id"] == track:
        row |= change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"split": "train"}, "track 2 says that it is in train"),
        ({"source": "udio"}, "track 2 has the unknown source 'udio'"),
        ({"overall_score": 5.5}, "1 rows with overall_score off 1 to 5; the first: 2"),
        ({"melody_emotion": float("nan")}, "1 rows with melody_emotion off 1 to 5; the first: 2"),
        ({"audio": None}, "track 2: it has a payload's SHA-256 and no payload"),
        ({"audio": {"bytes": b"x", "path": "2.mp3"}}, "track 2: its payload has the SHA-256"),
        ({"audio": {"bytes": None, "path": "/etc/x"}}, "track 2: its audio is to be read from '/etc/x'"),
        ({"audio": {"bytes": b"x", "path": "../2.mp3"}}, "track 2: its audio is to be read from '../2.mp3'"),
        ({"id": None}, "nulls in ['id'], which must be filled"),
    ],
)
def test_rows_that_are_off_are_found(folder, change, message):
    rewrite(folder, shard_of(folder, 2), "scores", lambda row: spoil(row, 2, **change))
    assert any(message in problem for problem in validate_madb(folder).invalid)


KINDS = (
    "README.md",
    "eval.yaml",
    "scores/train-*.parquet",
    "scores/validation-*.parquet",
    "annotations/train-*.parquet",
    "annotations/validation-*.parquet",
    "dimensions/train-*.parquet",
)


@pytest.mark.parametrize("pattern", KINDS)
@pytest.mark.parametrize("how", DAMAGES, ids=lambda how: how.__name__)
def test_a_damaged_file_is_found_and_no_other_is_blamed(folder, pattern, how):
    path = sorted(folder.glob(pattern))[0]
    how(path)
    blamed = blamed_by(validate_madb(folder))
    assert blamed == {path.relative_to(folder).as_posix()}


def test_a_card_that_reads_elsewhere_is_found(folder):
    card = folder / "README.md"
    card.write_text(card.read_text().replace("scores/train-*.parquet", "/etc/*.parquet"))
    assert (
        "README.md: config 'scores' reads '/etc/*.parquet' as 'train', which is no file of this dataset"
        in validate_madb(folder).invalid
    )


@pytest.mark.parametrize("pattern", ["README.md", "scores/validation-*.parquet", "annotations/train-*.parquet"])
def test_a_file_that_the_manifest_does_not_list_either_is_missing(folder, pattern):
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    for path in folder.glob(pattern):
        del manifest["files"][path.relative_to(folder).as_posix()]
        path.unlink()
    (folder / "MANIFEST.json").write_text(json.dumps(manifest))
    assert f"{pattern}: MANIFEST.json lists no such file" in validate_madb(folder).missing


def test_a_track_of_many_channels_that_claims_to_be_endless_is_read_to_its_end(tmp_path):
    """The sizes of a WAV file's chunks (RIFF) are 32 bits, which a file may fill as it likes."""
    path = tmp_path / "2.wav"
    soundfile.write(path, np.zeros((100, 1024), np.int16), 16_000)
    payload = bytearray(path.read_bytes())
    data = payload.index(b"data")
    payload[4:8] = payload[data + 4 : data + 8] = b"\xff\xff\xff\x7f"
    digest = hashlib.sha256(payload).hexdigest()
    row = {"id": 2, "audio_sha256": digest, "audio": {"bytes": bytes(payload), "path": "2.wav"}}
    tracemalloc.start()
    assert validate._problem(row, digest) is None
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_a_payload_that_does_not_decode_is_found(folder):
    """Recorded everywhere, so that only decoding tells."""
    broken = b"not sound"
    digest = hashlib.sha256(broken).hexdigest()
    change = {"audio": {"bytes": broken, "path": "2.mp3"}, "audio_sha256": digest}
    rewrite(folder, shard_of(folder, 2), "scores", lambda row: spoil(row, 2, **change))
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    manifest["audio"]["2"] = digest
    (folder / "MANIFEST.json").write_text(json.dumps(manifest))
    assert any("track 2: its payload does not decode" in problem for problem in validate_madb(folder).invalid)


def test_a_track_that_stands_twice_is_found(folder):
    path = shard_of(folder, 2)
    write_table(path, FEATURES["scores"], pa.concat_tables([pq.read_table(path)] * 2))
    admit(folder, path)
    assert any("every track stands once" in problem for problem in validate_madb(folder).invalid)


def test_annotations_of_another_split_and_annotators_twice_are_found(folder):
    path = folder / "annotations/validation-00000-of-00001.parquet"
    rewrite(folder, path, "annotations", lambda row: row.update(id=1, annotator=1))
    problems = " ".join(validate_madb(folder).invalid)
    assert "1 tracks are not in this split of scores/, among them 1" in problems
    assert "1 annotators stand twice at a track, among them 1 at 1" in problems


def test_changed_dimensions_are_found(folder):
    path = folder / "dimensions/train-00000-of-00001.parquet"
    rewrite(folder, path, "dimensions", lambda row: row.update(stage="x"))
    assert any(
        "its rows are not those of metadata/madb/dimensions.csv" in line for line in validate_madb(folder).invalid
    )


def test_a_folder_without_manifest_is_refused(tmp_path):
    with pytest.raises(InputError, match="no built dataset"):
        validate_madb(tmp_path)
