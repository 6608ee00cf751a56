"""The whole way, from a source folder to what `load_dataset` gives."""

import json

import pytest
import yaml
from datasets import Audio, load_dataset
from typer.testing import CliRunner

import build.cli.madb  # noqa: F401 - registers the verb
from build.cli import app
from build.errors import InputError
from build.madb.build import MadbOptions, build_madb
from build.madb.validate import validate_madb
from build.scoring import score
from build.workspace import Workspace
from tests.madb.made import annotations, source, write


def made(tmp_path, **extra):
    said: list[str] = []
    options = MadbOptions(str(source(tmp_path / "source", **extra)), None, tmp_path / "madb")
    facts = build_madb(options, Workspace(tmp_path / "work"), said.append)
    return tmp_path / "madb", facts, said


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return made(tmp_path_factory.mktemp("madb"), annotations=annotations())[0]


def load(folder, config, tmp_path):
    return load_dataset(str(folder), config, cache_dir=str(tmp_path))


@pytest.mark.contract
def test_scores_load_with_splits_types_and_sound_as_it_was(built, tmp_path):
    loaded = load(built, "scores", tmp_path).cast_column("audio", Audio(decode=False))
    assert {split: sorted(rows["id"]) for split, rows in loaded.items()} == {
        "train": [1, 3, 4, 6, 7, 8, 10, 11, 12],
        "validation": [2, 5, 9],
    }
    two = next(row for row in loaded["validation"] if row["id"] == 2)
    sound = built.parent / "source" / "audio" / "2.mp3"
    assert two["audio"] == {"bytes": sound.read_bytes(), "path": "2.mp3"}
    assert next(row for row in loaded["validation"] if row["id"] == 9)["enunciation_and_singing_skill"] is None
    assert sum(row["audio"] is not None for rows in loaded.values() for row in rows) == 2


@pytest.mark.contract
def test_scores_are_the_default_and_stream(built, tmp_path):
    rows = load_dataset(str(built), split="train", streaming=True).cast_column("audio", Audio(decode=False))
    assert sorted(row["id"] for row in rows) == [1, 3, 4, 6, 7, 8, 10, 11, 12]


@pytest.mark.contract
def test_annotations_and_dimensions_load(built, tmp_path):
    loaded = load(built, "annotations", tmp_path)
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 27, "validation": 9}
    assert load(built, "dimensions", tmp_path)["train"]["name"][0] == "overall_score"


def test_genre_tags_come_from_annotators_where_the_list_has_none(built, tmp_path):
    assert load(built, "scores", tmp_path)["train"].remove_columns("audio")[0]["genre"] == ["pop", "dj"]


def test_without_annotations_there_is_no_such_config_and_it_is_said(tmp_path):
    folder, facts, said = made(tmp_path)
    front_matter = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
    assert [config["config_name"] for config in front_matter["configs"]] == ["scores", "dimensions"]
    assert said[0].startswith("annotations: the source has no MADB_data.csv")
    assert facts["agreement"] == []
    assert not validate_madb(folder)


def test_the_card_tells_agreement_where_annotators_are_known(built):
    card = (built / "README.md").read_text()
    assert "license: cc-by-nc-4.0" in card
    assert "| `overall_score` | 12 | 3.00 |" in card


def test_building_twice_gives_the_same_bytes(tmp_path):
    first, second = (made(tmp_path / name, annotations=annotations())[0] for name in "ab")
    assert json.loads((first / "MANIFEST.json").read_text()) == json.loads((second / "MANIFEST.json").read_text())


def test_predictions_for_its_validation_tracks_are_scored(built, tmp_path):
    path = write(tmp_path / "p.csv", [{"id": track, "avg_overall_score": 1 + track / 10} for track in (2, 5, 9)])
    result = score(path, "madb", built)
    overall = result["scores"]["madb"]["targets"][0]
    assert (overall["mse"], overall["lcc"], overall["srcc"], overall["krcc"]) == pytest.approx((0, 1, 1, 1), abs=1e-9)
    assert overall["n_songs"] == 3
    assert result["notes"][0]["kind"] == "missing_targets"


def test_the_verb(tmp_path):
    folder = source(tmp_path / "source")
    done = CliRunner().invoke(app, f"madb --source {folder} --out {tmp_path}/out --work {tmp_path}/work".split())
    assert done.exit_code == 0, done.output
    assert "suno: 6 tracks, overall score 1.700" in done.output


def test_a_folder_without_the_list_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"there is no list song_avg_scores\.csv"):
        build_madb(MadbOptions(str(tmp_path), None, tmp_path / "out"), Workspace(tmp_path / "work"), print)


def test_a_source_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such folder; it takes `upstream` or a folder"):
        build_madb(MadbOptions(str(tmp_path / "x"), None, tmp_path / "out"), Workspace(tmp_path / "work"), print)


def test_an_audio_folder_that_is_not_there_is_refused(tmp_path):
    options = MadbOptions(str(source(tmp_path / "source")), tmp_path / "x", tmp_path / "out")
    with pytest.raises(InputError, match=r"--audio .*x: no such folder"):
        build_madb(options, Workspace(tmp_path / "work"), print)


def test_the_real_release(shared_data, tmp_path):
    """9,999 tracks, of which 16 have their sound beside the list."""
    options = MadbOptions(str(shared_data / "madb"), None, tmp_path / "madb")
    build_madb(options, Workspace(tmp_path / "work"), print)
    loaded = load(tmp_path / "madb", "scores", tmp_path / "cache").cast_column("audio", Audio(decode=False))
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 8_000, "validation": 1_999}
    sounds = [row["audio"] for row in loaded["validation"] if row["audio"]]
    assert len(sounds) == 16
    assert all(sound["bytes"] == (shared_data / "madb/audio" / sound["path"]).read_bytes() for sound in sounds)
    assert "| suno | generated by Suno | 1,000 | 3.518 | 0.261 |" in (tmp_path / "madb" / "README.md").read_text()
