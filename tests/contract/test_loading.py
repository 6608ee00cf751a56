"""The built sample through every door: `load_dataset` on the folder, the builder class, and the loading script."""

import os
import shutil
import subprocess
import sys

import datasets
import numpy as np
import pytest
from datasets import Audio, load_dataset

import globalmood
from globalmood import CONFIGS, FEATURES, LANGUAGES

pytestmark = pytest.mark.contract

SCRIPTS_RUN = int(datasets.__version__.split(".")[0]) < 4  # the last version that ran loading scripts was 3.6


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    """`datasets` looks its cache up in its configuration, not in the environment."""
    for name in ("HF_DATASETS_CACHE", "HF_MODULES_CACHE"):
        monkeypatch.setattr(datasets.config, name, tmp_path / name)


def counts(loaded) -> dict[str, int]:
    if hasattr(loaded["train"], "num_rows"):
        return {split: rows.num_rows for split, rows in loaded.items()}
    return {split: sum(1 for _ in undecoded(rows)) for split, rows in loaded.items()}


def undecoded(rows):
    return rows.cast_column("audio", Audio(decode=False)) if "audio" in rows.features else rows


def builder(folder, config):
    return globalmood.GlobalMood(config_name=config, data_dir=str(folder))


@pytest.mark.parametrize("config", CONFIGS)
def test_every_door_gives_the_same_features_splits_and_counts(sample, config):
    prepared = builder(sample, config)
    prepared.download_and_prepare()
    doors = {
        "folder": load_dataset(str(sample), config),
        "folder, streaming": load_dataset(str(sample), config, streaming=True),
        "builder": prepared.as_dataset(),
        "builder, streaming": prepared.as_streaming_dataset(),
    }
    first = counts(doors["folder"])
    assert sum(first.values()) > 0
    for door, loaded in doors.items():
        assert {split: rows.features for split, rows in loaded.items()} == dict.fromkeys(first, FEATURES[config]), door
        assert counts(loaded) == first, door


@pytest.mark.parametrize("config", ["korean", "all"])
def test_rows_are_the_same_through_folder_and_builder(sample, config):
    prepared = builder(sample, config)
    prepared.download_and_prepare()
    left, right = load_dataset(str(sample), config, split="test"), prepared.as_dataset(split="test")
    assert left.data.table.combine_chunks() == right.data.table.combine_chunks()


def test_language_configs_hold_the_song_columns_the_audio_and_one_language(sample):
    for language in LANGUAGES:
        columns = load_dataset(str(sample), language.config, split="test", streaming=True).column_names
        assert columns == [*globalmood.SONG, "audio", language.config]


def test_default_config_is_all(sample):
    assert load_dataset(str(sample), split="test").features == FEATURES["all"]


def test_lists_are_as_long_as_the_language_has_terms_and_unrated_terms_are_null(sample):
    rows = undecoded(load_dataset(str(sample), "korean", split="train"))
    for row in rows:
        korean = row["korean"]
        assert [len(korean[name]) for name in ("mean", "std", "count")] == [20, 20, 20]
        for mean, std, count in zip(korean["mean"], korean["std"], korean["count"], strict=True):
            assert (mean is None) == (count == 0)
            assert (std is None) == (count < 2)


def test_a_song_without_audio_is_a_row_with_a_null_struct(sample):
    rows = load_dataset(str(sample), "korean", split="train").cast_column("audio", Audio(decode=False))
    silent = [row for row in rows if row["audio"] is None]
    assert silent
    assert {row["status"] for row in silent} <= {"silent", "too_short", "not_found"}
    assert all(row["audio_sha256"] is None for row in silent)


@pytest.mark.parametrize("streaming", [False, True])
def test_audio_is_15_seconds_of_stereo_at_48_khz(sample, streaming):
    rows = globalmood.load("korean", split="test", data_dir=sample, streaming=streaming)
    row = next(row for row in rows.cast_column("audio", Audio(decode=False)) if row["status"] == "ok")
    sound, rate_hz = globalmood.waveform(row["audio"])
    assert (sound.shape, sound.dtype, rate_hz) == ((2, 720_000), np.float32, 48_000)


@pytest.mark.skipif(not globalmood.can_decode(), reason="torchcodec, or the FFmpeg libraries it needs, are not here")
def test_decoded_audio_is_the_same_sound_as_its_bytes(sample):
    rows = load_dataset(str(sample), "korean", split="test")
    index = rows["status"].index("ok") if isinstance(rows["status"], list) else list(rows["status"]).index("ok")
    encoded = globalmood.waveform(rows.cast_column("audio", Audio(decode=False))[index]["audio"])[0]
    decoded, rate_hz = globalmood.waveform(rows[index]["audio"])
    assert rate_hz == 48_000
    wanted = encoded if decoded.shape[0] == 2 else encoded.mean(axis=0, keepdims=True)  # 3.6 hands out the mean channel
    np.testing.assert_allclose(decoded, wanted, atol=1e-4)


def test_load_without_torchcodec_hands_out_bytes_with_one_warning(sample, monkeypatch):
    monkeypatch.setattr(globalmood, "can_decode", lambda: False)
    with pytest.warns(UserWarning, match="torchcodec cannot be imported") as warned:
        rows = globalmood.load("korean", split="test", data_dir=sample)
    assert len([warning for warning in warned if "torchcodec" in str(warning.message)]) == 1
    assert {type(row["audio"]) for row in rows} <= {dict, type(None)}


def test_load_says_how_to_get_a_dataset_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*make dataset"):
        globalmood.load("korean", data_dir=tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match="is not a built dataset"):
        globalmood.load("korean", data_dir=tmp_path)


def test_load_names_the_configs_that_there_are(sample):
    with pytest.raises(ValueError, match="There is no config 'klingon'; there are all, english"):
        globalmood.load("klingon", data_dir=sample)


def test_a_revision_of_a_folder_is_refused(sample):
    with pytest.raises(ValueError, match="revision='v1' selects a version of a Hub repository"):
        globalmood.load("korean", data_dir=sample, revision="v1")


def test_terms_are_in_the_order_of_the_means(sample):
    terms = globalmood.terms("korean", data_dir=sample)
    assert terms["rank"].tolist() == list(range(1, 21))
    assert terms["score"].is_monotonic_decreasing
    assert terms["translation"].notna().all()
    assert globalmood.terms("english", data_dir=sample)["translation"].isna().all()


def test_frame_is_tidy_and_agrees_with_the_rows(sample):
    frame = globalmood.frame("korean", data_dir=sample)
    assert list(frame.columns) == ["song", "country", "split", "term", "translation", "mean", "std", "count"]
    assert len(frame) == 118 * 20
    row = undecoded(load_dataset(str(sample), "korean", split="test"))[0]
    cells = frame[frame["song"] == row["song_id"]]
    np.testing.assert_allclose(cells["mean"], np.array(row["korean"]["mean"], float), equal_nan=True)
    assert cells["count"].tolist() == row["korean"]["count"]
    assert set(cells["split"]) == {"test"}


def test_a_rebuilt_folder_is_never_answered_from_an_older_cache(sample, tmp_path, run_build, sample_source):
    """One rating moves by a point, the cache stays: `datasets` caches a folder by its card, which tells its content."""
    source = tmp_path / "source"
    shutil.copytree(sample_source, source, ignore=shutil.ignore_patterns("media", "charts"))
    table, sums = source / "rawrating_GlobalMood.csv", []
    for change in (list, changed_first_rating):
        table.write_text("".join(change(table.read_text("utf-8").splitlines(keepends=True))), "utf-8")
        run_build("run", "--source", source, "--no-audio", "--out", tmp_path / "out", "--work", tmp_path / "work")
        rows = load_dataset(str(tmp_path / "out"), "ratings", cache_dir=str(tmp_path / "cache"))
        sums.append(sum(sum(rows[split]["rating"]) for split in rows))
    assert sums[1] == sums[0] + 1


def changed_first_rating(lines: list[str]) -> list[str]:
    """The same lines, with the first whole rating moved by one point."""
    for index, line in enumerate(lines):
        start, _, rating = line.rstrip("\n").rpartition(",")
        if rating in {"1", "2", "3", "4"}:
            return [*lines[:index], f"{start},{int(rating) + 1}\n", *lines[index + 1 :]]
    raise AssertionError("no rating that can be moved")


@pytest.mark.skipif(not SCRIPTS_RUN, reason="this version of datasets runs no loading scripts")
class TestLoadingScript:
    """`globalmood.py` on `datasets` 3.6."""

    def clone(self, folder, built):
        folder.mkdir()
        shutil.copy(globalmood.__file__, folder)
        (folder / "globalmood").symlink_to(built)
        return folder / "globalmood.py"

    @pytest.mark.parametrize("streaming", [False, True])
    def test_it_loads_from_its_own_folder_and_from_another_one(self, sample, tmp_path, monkeypatch, streaming):
        script = self.clone(tmp_path / "clone", sample)
        for here, path in ((script.parent, "./globalmood.py"), (tmp_path, str(script))):
            monkeypatch.chdir(here)
            loaded = load_dataset(path, "korean", trust_remote_code=True, streaming=streaming)
            assert counts(loaded) == {"train": 100, "test": 18}

    def test_two_clones_each_read_their_own_data(self, sample, tmp_path, run_build, sample_source):
        limited = tmp_path / "limited"
        run_build(
            "run", "--source", sample_source, "--no-audio", "--limit", 40, "--out", limited, "--work", tmp_path / "w"
        )
        sizes = {}
        for name, built in (("a", sample), ("b", limited)):
            loaded = load_dataset(str(self.clone(tmp_path / name, built)), "songs", trust_remote_code=True)
            sizes[name] = sum(rows.num_rows for rows in loaded.values())
        assert sizes == {"a": 118, "b": 40}

    def test_datasets_cli_tests_all_configs(self, sample, tmp_path):
        script = self.clone(tmp_path / "clone", sample)
        command = [sys.executable, "-m", "datasets.commands.datasets_cli", "test", "./globalmood.py"]
        done = subprocess.run(
            [*command, "--all_configs", "--trust_remote_code"],
            cwd=script.parent,
            env=os.environ | {"HF_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "Test successful" in done.stdout + done.stderr
