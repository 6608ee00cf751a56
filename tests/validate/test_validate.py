"""`build.validate`: a whole folder passes, and every single thing that is off is found and named."""

import hashlib
import io
import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import soundfile

from build.dataset import shards
from build.errors import InputError
from build.files import sha256_of
from build.validate import songs, validate
from globalmood import FEATURES

SHARD = "data/train-00003-of-00016.parquet"
RATINGS = "ratings/korean-train-00000-of-00001.parquet"


@pytest.fixture
def built(sample, tmp_path):
    """A copy of the built sample, to be spoilt."""
    return shutil.copytree(sample, tmp_path / "globalmood")


def rewrite(built, name, config, change, admit=True):
    """Change a table; with `admit`, record the new hash as someone would who wants it not to be noticed."""
    table = pq.read_table(built / name)
    schema = table.schema
    shards.write_table(built / name, FEATURES[config], change(table).cast(schema))
    if admit:
        manifest = json.loads((built / "MANIFEST.json").read_text())
        manifest["files"][name]["sha256"] = sha256_of(built / name)
        (built / "MANIFEST.json").write_text(json.dumps(manifest))


def first_value(table: pa.Table, column: str, value) -> pa.Table:
    values = [value, *table[column].to_pylist()[1:]]
    index = table.column_names.index(column)
    return table.set_column(index, table.field(index), pa.array(values, table.field(index).type))


def test_a_whole_folder_has_nothing_wrong(sample):
    findings = validate(sample)
    assert (findings.missing, findings.invalid, findings.extra) == ([], [], [])
    assert not findings


def test_one_flipped_byte_of_sound_is_found(built):
    path = built / SHARD
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    invalid = validate(built).invalid
    assert any(line.startswith(f"{SHARD}: its SHA-256 is") for line in invalid)
    assert any(f"{SHARD}: song" in line and "payload has the SHA-256" in line for line in invalid), "the song is named"


def test_one_removed_file_is_missing(built):
    (built / SHARD).unlink()
    assert validate(built).missing == [f"{SHARD}: not there"]


def test_one_more_file_is_extra(built):
    (built / "data" / "notes.txt").write_text("mine")
    assert validate(built).extra == ["data/notes.txt: not in MANIFEST.json"]


def test_a_truncated_file_is_invalid(built):
    (built / SHARD).write_bytes((built / SHARD).read_bytes()[:1000])
    assert any(line.startswith(f"{SHARD}: cannot be read") for line in validate(built).invalid)


@pytest.mark.parametrize("admit", [True, False], ids=["hash admitted", "hash as it was"])
def test_one_rating_of_6_is_found_and_named(built, admit):
    rewrite(built, RATINGS, "ratings", lambda table: first_value(table, "rating", 6), admit)
    assert any(f"{RATINGS}: 1 ratings off the scale of 1 to 5" in line for line in validate(built).invalid)


def test_a_rating_that_the_means_do_not_know_is_found(built):
    """The first answer of someone goes: counts and means no longer add up."""
    rewrite(built, RATINGS, "ratings", lambda table: table.slice(1))
    invalid = validate(built).invalid
    assert any("the ratings give" in line for line in invalid)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("song_id", "nobody", "ratings of songs that are not in this split"),
        ("term_id", "nothing", "ratings of unknown terms"),
        ("repetition", -1, "ratings with a negative repetition"),
    ],
)
def test_ratings_about_nothing_are_found(built, column, value, message):
    rewrite(built, RATINGS, "ratings", lambda table: first_value(table, column, value))
    assert any(message in line for line in validate(built).invalid)


def test_a_song_that_is_told_differently_without_its_sound_is_found(built):
    name = "songs/test-00000-of-00001.parquet"
    rewrite(built, name, "songs", lambda table: first_value(table, "title", "Another"))
    assert validate(built).invalid == ["songs/: the songs of test are not what data/ says of them"]


def test_a_song_in_two_files_is_found(built):
    shutil.copy(built / SHARD, built / "data/train-00004-of-00016.parquet")
    assert any("every song stands once" in line for line in validate(built).invalid)


def test_another_schema_is_found(built):
    table = pq.read_table(built / RATINGS)
    pq.write_table(table.drop_columns("term"), built / RATINGS)
    assert any(f"{RATINGS}: its columns are not those of config 'ratings'" in line for line in validate(built).invalid)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "data\\..\\x", "a\x1b[2J", "\u202egpj.exe", "\ud800"]
)
def test_a_manifest_that_points_outside_is_refused(built, name):
    manifest = json.loads((built / "MANIFEST.json").read_text())
    manifest["files"][name] = {"sha256": "0", "bytes": 1}
    (built / "MANIFEST.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="lists files outside the folder"):
        validate(built)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"files": 3}',
        '{"files": {"a": {}}, "audio": {}}',
        '{"files": {}, "audio": {}, "options": 1}',
    ],
)
def test_a_manifest_that_is_none_is_refused(built, content):
    (built / "MANIFEST.json").write_text(content)
    with pytest.raises(InputError, match=r"MANIFEST\.json: cannot be read as a manifest"):
        validate(built)


def test_a_folder_without_manifest_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no built dataset, it has no MANIFEST\.json"):
        validate(tmp_path)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ({"bytes": None, "path": "/etc/passwd"}, "its audio is to be read from '/etc/passwd'"),
        ({"bytes": None, "path": "http://169.254.169.254/"}, "its audio is to be read from 'http://169.254.169.254/'"),
        ({"bytes": b"x", "path": "../song.flac"}, "its audio is to be read from '../song.flac'"),
        ({"bytes": b"x", "path": None}, "its audio is to be read from None"),
    ],
)
def test_audio_that_is_to_be_read_from_elsewhere_is_found(cell, message):
    row = {"song_id": "song", "status": "ok", "audio_sha256": None, "audio": cell}
    assert message in songs._problem(row, None)


def test_a_payload_that_claims_to_be_endless_takes_no_room():
    """STREAMINFO of a FLAC file (RFC 9639, section 8.2) ends in a count of 36 bits of samples."""
    payload = io.BytesIO()
    soundfile.write(payload, np.zeros((48_000, 2)), 48_000, format="FLAC", subtype="PCM_16")
    endless = bytearray(payload.getvalue())
    endless[21:26] = bytes([endless[21] | 0x0F, 0xFF, 0xFF, 0xFF, 0xFF])
    digest = hashlib.sha256(endless).hexdigest()
    cell = {"bytes": bytes(endless), "path": "song.flac"}
    row = {"song_id": "song", "status": "ok", "audio_sha256": digest, "audio": cell}
    assert f"it is {2**36 - 1} samples" in songs._problem(row, digest)


def test_a_script_among_the_files_is_found(built):
    (built / "globalmood.py").write_text("import os")
    assert any(line.startswith("globalmood.py: a script") for line in admitted(built, "globalmood.py"))


def admitted(built, name: str) -> list[str]:
    """What is found where the manifest lists the file."""
    manifest = json.loads((built / "MANIFEST.json").read_text())
    manifest["files"][name] = {"sha256": sha256_of(built / name), "bytes": (built / name).stat().st_size}
    (built / "MANIFEST.json").write_text(json.dumps(manifest))
    return validate(built).invalid
