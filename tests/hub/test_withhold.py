import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from build.errors import InputError
from build.hub.withhold import withhold
from build.validate import validate
from tests.hub.source import GONE, SHORT


def manifest(folder) -> dict:
    return json.loads((folder / "MANIFEST.json").read_text())


def rows(folder) -> dict[str, dict]:
    tables = [pq.read_table(path) for path in sorted(folder.glob("data/*.parquet"))]
    return {row["song_id"]: row for table in tables for row in table.to_pylist()}


def test_rows_keep_all_but_the_sound(built, silent):
    with_sound, without = rows(built), rows(silent)
    assert {song_id for song_id, row in with_sound.items() if row["audio"] is None} == {GONE, SHORT}
    assert without == {song_id: row | {"audio": None} for song_id, row in with_sound.items()}


def test_files_without_sound_stay_as_they_are(built, silent):
    before, after = manifest(built)["files"], manifest(silent)["files"]
    changed = {name for name in before if before[name] != after[name]}
    sounding = {
        f"data/{path.name}" for path in built.glob("data/*") if pq.read_table(path)["audio"].drop_null().length()
    }
    assert changed == sounding | {"README.md", "croissant.json"}


def test_the_manifest_says_so_and_keeps_the_digests(built, silent):
    before, after = manifest(built), manifest(silent)
    assert after["audio_withheld"] is True
    assert after["audio"] == before["audio"]
    assert len(after["audio"]) == 7
    assert {name for name in after if after[name] != before.get(name)} == {"audio_withheld", "files", "facts"}


def test_the_manifest_tells_the_packages_that_made_the_payloads(copy, tmp_path):
    told = manifest(copy)
    told["packages"]["soundfile"] = "0.0.1"
    (copy / "MANIFEST.json").write_text(json.dumps(told))
    withhold(copy, tmp_path / "out")
    assert manifest(tmp_path / "out")["packages"]["soundfile"] == "0.0.1"


def test_ratings_that_were_dropped_are_still_counted(built, silent):
    line = "| ratings | 928 of 930 read, off_scale 1, unknown_term 1 |"
    assert line in (built / "README.md").read_text()
    assert line in (silent / "README.md").read_text()


def test_what_is_published_validates(silent):
    findings = validate(silent)
    assert (findings.missing, findings.invalid, findings.extra) == ([], [], [])


def test_audio_that_should_be_withheld_is_found(copy):
    (copy / "MANIFEST.json").write_text(json.dumps(manifest(copy) | {"audio_withheld": True}))
    invalid = validate(copy).invalid
    assert len(invalid) == 7
    assert all(line.endswith("it has audio, and the manifest says that audio is withheld") for line in invalid)


def test_another_digest_than_the_recorded_one_is_found(silent, tmp_path):
    copy = Path(shutil.copytree(silent, tmp_path / "silent"))
    told = manifest(copy)
    told["audio"] |= {"song-02": "0" * 64, "song-99": "1" * 64}
    (copy / "MANIFEST.json").write_text(json.dumps(told))
    invalid = validate(copy).invalid
    assert any("song song-02: the row has the payload's SHA-256" in line for line in invalid)
    assert "data/: 1 songs of the manifest have no audio_sha256, among them song-99" in invalid


def test_the_card_says_what_is_not_there_and_how_it_is_had(built, silent):
    assert "| with audio | 0, withheld 7, not_found 1, too_short 1 |" in (silent / "README.md").read_text()
    assert "**The audio of 7 songs is not published.**" in (silent / "README.md").read_text()
    assert "withheld" not in (built / "README.md").read_text()


def test_loudness_is_told_without_the_sound(built, silent):
    told = [line for line in (built / "README.md").read_text().splitlines() if line.startswith("| loudness |")]
    assert len(told) == 1
    assert told[0] in (silent / "README.md").read_text().splitlines()


def test_the_same_bytes_come_out_again(built, silent, tmp_path):
    withhold(built, tmp_path / "again")
    assert (tmp_path / "again" / "MANIFEST.json").read_bytes() == (silent / "MANIFEST.json").read_bytes()


def test_a_folder_of_another_version_is_refused(copy, tmp_path):
    told = manifest(copy) | {"version": "0.9.0"}
    (copy / "MANIFEST.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match=r"built by version 0\.9\.0, this is .*; build it again"):
        withhold(copy, tmp_path / "out")


def test_a_folder_that_is_not_what_its_manifest_says_is_refused(copy, tmp_path):
    first, second, *_ = sorted((copy / "data").glob("train-*.parquet"))
    shutil.copy(first, second)
    with pytest.raises(InputError, match=rf"it is not what MANIFEST.json says .*, the first: data/{second.name}"):
        withhold(copy, tmp_path / "out")
