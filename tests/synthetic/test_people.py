import re
from collections import Counter

import numpy as np
import pytest

from build.synthetic import people
from build.synthetic.moods import expected_ratings, latent_moods
from build.synthetic.vocabulary import vocabularies

N_SONGS = 118
WORDS = vocabularies()


@pytest.fixture(scope="module", params=sorted(WORDS))
def rated(request: pytest.FixtureRequest) -> tuple[people.Panel, people.Answers, np.ndarray]:
    words = WORDS[request.param]
    expected = expected_ratings(latent_moods(0, N_SONGS), words.weights, words.levels)
    panel = people.recruit(0, request.param, *expected.shape)
    return panel, people.answer(0, request.param, panel, expected), expected


def first_answers(panel: people.Panel, answers: people.Answers) -> np.ndarray:
    """Ratings as an array (rater, song, term), NaN where there is none; repeats are left out."""
    table = np.full((len(panel.ids), N_SONGS, 20), np.nan)
    for rater, song, term, rating in zip(*answers, strict=True):
        if np.isnan(table[rater, song, term]):
            table[rater, song, term] = rating
    return table


def test_cells_have_as_many_raters_as_in_the_paper(rated) -> None:
    panel, answers, _ = rated
    counts = np.isfinite(first_answers(panel, answers)).sum(axis=0)
    assert counts.mean() == pytest.approx(8.38, abs=0.01)
    assert counts.std() == pytest.approx(2.40, abs=0.02)


def test_everybody_rates_seven_terms_throughout(rated) -> None:
    panel, answers, _ = rated
    for rater in range(len(panel.ids)):
        mine = answers.rater == rater
        songs, counts = np.unique(answers.song[mine], return_counts=True)
        assert len(set(answers.term[mine])) == 7
        assert Counter(counts) == {7: len(songs) - 1, 14: 1}  # one song twice


def test_the_repeated_trial_comes_last(rated) -> None:
    panel, answers, _ = rated
    for rater in range(len(panel.ids)):
        songs = answers.song[answers.rater == rater]
        assert set(songs[-7:]) < set(songs[:-7])


def test_ratings_are_whole_numbers_from_1_to_5(rated) -> None:
    _, answers, _ = rated
    assert set(answers.rating) == {1, 2, 3, 4, 5}


def split_half(table: np.ndarray, random: np.random.Generator) -> float:
    """Mean over terms of the correlation over songs between two halves of the raters of each song, Spearman-Brown."""
    halves = np.full((2, *table.shape[1:]), np.nan)
    for song in range(table.shape[1]):
        heard = random.permutation(np.flatnonzero(np.isfinite(table[:, song]).any(axis=1)))
        for half in range(2):
            ratings = table[heard[half::2], song]
            there = np.isfinite(ratings).any(axis=0)
            halves[half, song, there] = np.nanmean(ratings[:, there], axis=0)
    values = []
    for first, second in zip(*np.moveaxis(halves, 2, 1), strict=True):
        both = np.isfinite(first) & np.isfinite(second)
        r = np.corrcoef(first[both], second[both])[0, 1]
        values.append(2 * r / (1 + r))
    return float(np.mean(values))


def test_split_half_reliability_is_that_of_people(rated) -> None:
    panel, answers, _ = rated
    table = first_answers(panel, answers)
    reliability = np.mean([split_half(table, np.random.default_rng(seed)) for seed in range(4)])
    assert 0.65 < reliability < 0.85


def test_means_follow_what_was_expected_as_far_as_noise_allows(rated) -> None:
    """Classical test theory: means correlate with true values by the square root of their reliability.

    The reliability is estimated from the same data (split-half), with a standard error of about 0.02 over 20 terms.
    """
    panel, answers, expected = rated
    table = first_answers(panel, answers)
    counts = np.isfinite(table).sum(axis=0)
    means = np.nansum(table, axis=0) / np.maximum(counts, 1)
    found = [np.corrcoef(means[counts[:, t] > 0, t], expected[counts[:, t] > 0, t])[0, 1] for t in range(20)]
    assert np.mean(found) > 0.95 * np.sqrt(split_half(table, np.random.default_rng(9)))


def test_someone_is_more_like_themselves_than_like_others(rated) -> None:
    panel, answers, _ = rated
    differences = []
    for rater, kind in enumerate(panel.kinds):
        if kind == "attentive":
            mine = answers.rater == rater
            songs, ratings = answers.song[mine].reshape(-1, 7)[:, 0], answers.rating[mine].reshape(-1, 7)
            first = int(np.flatnonzero(songs == songs[-1])[0])
            differences.append(ratings[-1] - ratings[first])
    own = np.sqrt(np.mean(np.square(differences)))
    cells = first_answers(panel, answers)
    variances = [np.nanvar(given, ddof=1) for given in cells.reshape(len(cells), -1).T if np.isfinite(given).sum() > 1]
    assert own < 0.8 * np.sqrt(2 * np.mean(variances))


def test_straightliners_give_one_answer(rated) -> None:
    panel, answers, _ = rated
    kinds = np.array(panel.kinds)
    constant = [len(set(answers.rating[answers.rater == rater])) == 1 for rater in range(len(kinds))]
    assert sum(constant) == 3
    assert set(kinds[constant]) == {"straightlining"}


def test_some_raters_leave_after_a_few_songs(rated) -> None:
    panel, _, _ = rated
    few = [len(songs) for kind, songs in zip(panel.kinds, panel.trials, strict=True) if kind == "few"]
    assert few == [5, 5]
    assert min(len(songs) for kind, songs in zip(panel.kinds, panel.trials, strict=True) if kind != "few") > 10


def test_ids_look_like_a_panels(rated) -> None:
    panel, _, _ = rated
    assert len(set(panel.ids)) == len(panel.ids)
    assert all(re.fullmatch("[0-9a-f]{24}", person) for person in panel.ids)


def test_a_language_with_18_terms_has_as_many_raters_a_cell() -> None:
    panel = people.recruit(4, "sixth", N_SONGS, 18)
    assert people.raters_a_cell(panel, N_SONGS, 18).mean() == pytest.approx(8.38, abs=0.02)


def test_nobody_hears_more_songs_than_there_are() -> None:
    panel = people.recruit(0, "tiny", 6, 20)
    assert all(len(set(songs)) == len(songs) <= 6 for songs in panel.trials)
