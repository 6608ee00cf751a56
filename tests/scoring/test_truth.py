import json
import math
import shutil

import numpy as np
import pytest

from build.errors import InputError
from build.scoring.truth import TASKS, ceiling_of, read_truth
from globalmood import LANGUAGES, frame
from tests.scoring.made import built


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return built(tmp_path_factory.mktemp("truth") / "globalmood")


def test_there_is_a_task_a_language_one_for_all_and_madb():
    assert set(TASKS) == {"globalmood:all", "madb", *(f"globalmood:{language.config}" for language in LANGUAGES)}


def test_ratings_are_those_of_the_test_songs_in_the_order_of_terms(folder):
    truth = read_truth("globalmood:korean", folder)
    table = frame("korean", data_dir=folder)
    wanted = table[table.split == "test"].pivot(index="song", columns="term", values="mean").sort_index()
    assert list(truth.songs) == list(wanted.index)
    assert truth.rated == pytest.approx(wanted[[f"ko{index}" for index in range(20)]].to_numpy())


def test_train_means_are_those_of_the_training_songs(folder):
    truth = read_truth("globalmood:korean", folder)
    table = frame("korean", data_dir=folder)
    wanted = table[table.split == "train"].groupby("term")["mean"].mean()
    assert truth.train_means[7] == pytest.approx(wanted["ko7"], abs=1e-6)
    assert truth.elsewhere == set(table[table.split == "train"].song)


def test_all_languages_stand_side_by_side(folder):
    truth = read_truth("globalmood:all", folder)
    assert truth.groups == tuple(language.config for language in LANGUAGES)
    assert truth.rated.shape[1] == 100
    assert truth.columns("french") == list(range(20, 40))


def test_the_ceiling_is_that_of_the_test_songs(folder):
    """Raters with an error of 0.5 plus rounding agree well over uniform moods: six of them all but perfectly."""
    ceiling = read_truth("globalmood:korean", folder).ceilings["korean"]
    assert 0.9 < ceiling.reliability < ceiling.best_r < 1
    assert ceiling.n_terms == 20


def test_the_ceiling_averages_reliabilities_and_their_roots():
    ceiling = ceiling_of(np.array([0.81, 0.25, math.nan]))
    assert (ceiling.reliability, ceiling.best_r, ceiling.n_terms) == pytest.approx((0.53, 0.7, 2), abs=1e-12)


def test_a_negative_reliability_allows_no_correlation():
    assert ceiling_of(np.array([-0.5])).best_r == 0


def test_without_reliability_there_is_no_ceiling():
    assert ceiling_of(np.array([math.nan])).best_r is None


def test_an_unknown_task_is_refused(folder):
    with pytest.raises(InputError, match="--task globalmood:klingon: there is no such task; there are globalmood:all"):
        read_truth("globalmood:klingon", folder)


def test_another_dataset_is_refused(folder):
    with pytest.raises(InputError, match="holds 'globalmood', and madb is about madb; name it with --data"):
        read_truth("madb", folder)


def test_a_folder_that_is_no_dataset_is_refused(tmp_path):
    with pytest.raises(InputError, match="no built dataset"):
        read_truth("globalmood:all", tmp_path)


def test_a_dataset_without_ratings_is_refused(folder, tmp_path):
    """As where the source has no ratings file: emptied of cells by a language that nobody rated."""
    bare = shutil.copytree(folder, tmp_path / "bare")
    manifest = json.loads((bare / "MANIFEST.json").read_text())
    assert manifest["name"] == "globalmood"
    for path in bare.glob("data/test-*.parquet"):
        path.unlink()
    with pytest.raises(InputError, match="no song of the split test is rated in korean"):
        read_truth("globalmood:korean", bare)
