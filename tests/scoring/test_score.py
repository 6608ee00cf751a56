import json

import numpy as np
import pytest
from typer.testing import CliRunner

import build.cli.score  # noqa: F401 - registers the verb
from build.cli import app
from build.scoring import TRAIN_MEAN, score
from build.scoring.truth import read_truth
from globalmood import frame
from tests.scoring.made import built


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return built(tmp_path_factory.mktemp("score") / "globalmood", n_songs=180)


@pytest.fixture(scope="module")
def means(folder):
    """The test songs' mean ratings of all languages as if they were predictions."""
    parts = {language: frame(language, data_dir=folder) for language in read_truth("globalmood:all", folder).groups}
    wide = [
        table[table.split == "test"]
        .assign(column=f"{language}:" + table.term)
        .pivot(index="song", columns="column", values="mean")
        for language, table in parts.items()
    ]
    return wide[0].join(wide[1:]).rename_axis("song_id")


def primary(result, language="korean"):
    return result["scores"][language]["primary"]["value"]


def test_the_means_themselves_score_1_on_both_measures(folder, means):
    scores = score(means, "globalmood:all", folder, n_draws=100)["scores"]
    assert [scores[language][name]["value"] for language in scores for name in ("primary", "second")] == pytest.approx(
        [1.0] * 10, abs=1e-12
    )


def test_predictions_permuted_over_songs_score_about_0_on_the_primary_measure(folder, means):
    shuffled = means.copy()
    shuffled[:] = np.random.default_rng(0).permutation(means.to_numpy())
    result = score(shuffled, "globalmood:korean", folder)["scores"]["korean"]["primary"]
    assert abs(result["value"]) < 0.12
    assert result["low"] < 0 < result["high"]


def test_the_train_mean_scores_0_on_the_primary_measure_and_its_second_stands_beside_every_system(folder, means):
    mean = score(TRAIN_MEAN, "globalmood:korean", folder)["scores"]["korean"]
    other = score(means, "globalmood:korean", folder)["scores"]["korean"]
    assert mean["primary"]["value"] == 0
    assert mean["second"]["value"] == pytest.approx(mean["second_train_mean"]["value"], abs=1e-12)
    assert other["second_train_mean"] == mean["second_train_mean"]


def test_rows_in_another_order_score_the_same(folder, means):
    noisy = means + np.random.default_rng(1).normal(0, 1, means.shape)
    first, second = (score(table, "globalmood:korean", folder) for table in (noisy, noisy.iloc[::-1]))
    assert first == second


def test_a_file_scores_like_the_table_in_it(folder, means, tmp_path):
    noisy = means + np.random.default_rng(1).normal(0, 1, means.shape)
    noisy.to_csv(tmp_path / "p.csv")
    noisy.reset_index().to_parquet(tmp_path / "p.parquet")
    noisy.reset_index().to_json(tmp_path / "p.json", orient="records", double_precision=15)
    wanted = primary(score(noisy, "globalmood:korean", folder, n_draws=100))
    for path in tmp_path.iterdir():
        assert primary(score(path, "globalmood:korean", folder, n_draws=100)) == pytest.approx(wanted, abs=1e-12)


def test_overall_is_the_mean_over_languages(folder, means):
    noisy = means + np.random.default_rng(2).normal(0, 1, means.shape)
    result = score(noisy, "globalmood:all", folder, n_draws=100)
    each = [primary(result, language) for language in result["scores"]]
    assert result["overall"]["primary"]["value"] == pytest.approx(np.mean(each), abs=1e-12)


def test_of_two_systems_the_better_one_wins_and_q_is_that_of_their_primary_measures(folder, means):
    rng = np.random.default_rng(3)
    good, bad = (means + rng.normal(0, size, means.shape) for size in (0.5, 3))
    compared = score(good, "globalmood:all", folder, against=bad, n_draws=400)["comparison"]
    for group in ("korean", "overall"):
        row = compared[group]
        assert row["difference"]["low"] > 0
        assert row["p"] < 0.01
        assert row["cohens_q"] == pytest.approx(
            np.arctanh(row["primary"]) - np.arctanh(row["primary_against"]), abs=1e-12
        )


def test_the_draws_are_paired(folder, means):
    """A system against itself plus a constant: no draw can tell them apart, which unpaired draws would."""
    noisy = means + np.random.default_rng(4).normal(0, 1, means.shape)
    row = score(noisy, "globalmood:korean", folder, against=noisy + 1)["comparison"]["korean"]
    assert (row["difference"]["low"], row["difference"]["high"]) == pytest.approx((0, 0), abs=1e-12)


def test_the_result_is_json_and_the_same_for_a_seed(folder, means):
    noisy = means + np.random.default_rng(5).normal(0, 1, means.shape)
    results = [score(noisy, "globalmood:korean", folder, seed=seed) for seed in (1, 1, 2)]
    texts = [json.dumps(result, allow_nan=False) for result in results]
    assert texts[0] == texts[1]
    assert results[0]["scores"]["korean"]["primary"] != results[2]["scores"]["korean"]["primary"]


def test_what_does_not_fit_is_in_the_notes(folder, means):
    result = score(means.iloc[1:].drop(columns="korean:ko3").assign(title="x"), "globalmood:korean", folder)
    assert [note["kind"] for note in result["notes"]] == ["missing_songs", "missing_targets", "extra_columns"]
    assert primary(result) < 0.96


def test_the_verb_prints_the_table_and_writes_the_result(folder, means, tmp_path):
    means.to_csv(tmp_path / "p.csv")
    arguments = (
        f"{tmp_path}/p.csv --task globalmood:korean --data {folder} --against train-mean --out {tmp_path}/r.json"
    )
    done = CliRunner().invoke(app, ["score", *arguments.split()])
    assert done.exit_code == 0, done.output
    assert "against train-mean" in done.output
    assert "note: extra_columns: 80 columns" in done.output
    assert json.loads((tmp_path / "r.json").read_text())["scores"]["korean"]["second"]["value"] == pytest.approx(1)
