"""The authors' lists without audio, as they were published."""

import csv

import pandas as pd
import pytest
from datasets import load_dataset

import globalmood
from build.validate import validate

LANGUAGES = [language.config for language in globalmood.LANGUAGES]


@pytest.fixture(scope="module")
def real(shared_data, tmp_path_factory, run_build):
    """(built folder, what was said) of the authors' lists without audio."""
    folder = tmp_path_factory.mktemp("real")
    source = shared_data / "globalmood"
    done = run_build("run", "--source", source, "--no-audio", "--out", folder / "real", "--work", folder / "work")
    return folder / "real", done.stdout


def test_the_real_lists_make_1180_songs_of_59_countries(real):
    songs = pd.concat(
        [rows.to_pandas().assign(split=split) for split, rows in load_dataset(str(real[0]), "songs").items()]
    )
    assert songs["country"].value_counts().tolist() == [20] * 59
    assert songs["split"].value_counts().to_dict() == {"train": 1000, "test": 180}
    assert songs[songs["split"] == "test"]["country"].value_counts().min() == 3


def test_the_real_terms_come_out_in_order_with_their_scripts(real, shared_data):
    terms = load_dataset(str(real[0]), "terms", split="train").to_pandas()
    assert len(terms) == 100
    for language, locale in zip(LANGUAGES, ["en", "fr", "es", "ko", "ar"], strict=True):
        path = shared_data / "globalmood" / "rating_dimensions" / f"{locale}_STEP_for_dense_rate.csv"
        written = list(csv.DictReader(path.open(encoding="utf-8", newline="")))
        built = terms[terms["language"] == language].sort_values("rank")
        assert built["term"].tolist() == [row["grouped_tag"] for row in written]
        assert built["score"].tolist() == [float(row["score"]) for row in written]


def test_absent_ratings_are_said_once_and_leave_null_means(real):
    folder, said = real
    assert said.count("the source has no rawrating_GlobalMood.csv") == 1
    row = next(iter(load_dataset(str(folder), "korean", split="test", streaming=True).remove_columns("audio")))
    assert row["korean"] == {"mean": [None] * 20, "std": [None] * 20, "count": [0] * 20}
    assert globalmood.load("ratings", data_dir=folder)["train"].num_rows == 0


def test_the_folder_of_the_real_lists_is_whole(real):
    assert not validate(real[0])
