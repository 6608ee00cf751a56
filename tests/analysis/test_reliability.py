import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

from build.analysis.answers import first_answers
from build.analysis.reliability import ALL_ALIKE, FEW_SONGS, NO_RATINGS, NO_SPLIT, alpha, half_means, reliability
from tests.analysis.simulated import permuted, ratings, terms, two_point

pytestmark = pytest.mark.filterwarnings("error")

# Krippendorff (2011), section C: four observers, twelve units, 0 = missing
TEXTBOOK = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)


def counted(answers: np.ndarray) -> np.ndarray:
    return np.stack([(answers == value).sum(axis=0) for value in range(1, 6)], axis=1)


def only_term(table: pa.Table, term_id: str = "sad", **options) -> dict:
    [row] = reliability(table, terms([("english", term_id, None)]), **options).to_pylist()
    return row


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.7434), ("ordinal", 0.8154), ("interval", 0.8491)])
def test_alpha_of_the_textbook_data(level, value):
    assert alpha(counted(TEXTBOOK), level) == pytest.approx(value, abs=5e-5)


def test_alpha_counts_value_frequencies_of_paired_songs_only():
    alone = np.array([[0], [0], [0], [5]])
    assert alpha(counted(np.hstack([TEXTBOOK, alone]))) == pytest.approx(alpha(counted(TEXTBOOK)), abs=1e-12)


@pytest.mark.parametrize("answers", [[[1, 2, 3]], [[3, 3, 3], [3, 3, 3]]], ids=["one rater", "no variance"])
def test_alpha_is_undefined_where_chance_agreement_cannot_be_told(answers):
    assert np.isnan(alpha(counted(np.array(answers))))


def test_alpha_of_full_agreement_is_one():
    assert alpha(counted(np.array([[1, 3, 5], [1, 3, 5]]))) == 1.0


def test_all_terms_of_a_hearing_go_to_the_same_half():
    rows = [("english", f"s{s}", p, t, p) for s in range(20) for p in range(1, 6) for t in ("calm", "sad", "joyful")]
    means = half_means(first_answers(ratings(rows), "english"), split=0, seed=1)
    assert np.array_equal(means[..., 0], means[..., 1])
    assert np.array_equal(means[..., 0], means[..., 2])


def test_halves_of_five_raters_hold_two_and_three_and_either_half_gets_the_odd_one():
    rows = [("english", f"s{s:03d}", p, "sad", p) for s in range(200) for p in range(1, 6)]
    answers = first_answers(ratings(rows), "english")
    first, second = half_means(answers, split=0, seed=1)[..., 0]
    with_three = [{round(3 * m, 6) % 1, round(2 * n, 6) % 1} == {0} for m, n in zip(first, second, strict=True)]
    other = [{round(2 * m, 6) % 1, round(3 * n, 6) % 1} == {0} for m, n in zip(first, second, strict=True)]
    assert all(a or b for a, b in zip(with_three, other, strict=True))
    sums = np.where(with_three, 3 * first + 2 * second, 2 * first + 3 * second)
    assert np.allclose(sums, 15)
    assert 60 < sum(with_three) < 140  # a coin a song: 100 +- 4 sd of 7 (songs where both fit count as the first)


def test_every_half_is_drawn_anew_for_each_split_and_song():
    rows = [("english", f"s{s:03d}", p, "sad", p) for s in range(50) for p in range(1, 5)]
    answers = first_answers(ratings(rows), "english")
    one, two = (half_means(answers, split, seed=1)[0, :, 0] for split in (0, 1))
    assert len(set(one)) > 3
    assert not np.array_equal(one, two)
    assert not np.array_equal(one, half_means(answers, 0, seed=2)[0, :, 0])


def test_splits_agree_with_scipy_and_the_formula_of_spearman_and_brown():
    chance = np.random.default_rng(5).uniform(0, 1, (40, 1))
    table = two_point(chance, 6, seed=6)
    answers = first_answers(table, "english")
    halves = [half_means(answers, split, seed=9)[..., 0] for split in range(10)]
    r = [scipy.stats.pearsonr(first, second)[0] for first, second in halves]
    row = only_term(table, "t00", n_splits=10, seed=9)
    assert min(r) > 0
    assert row["half_r"] == pytest.approx(np.mean(r), abs=1e-9)
    assert row["reliability"] == pytest.approx(np.mean([2 * value / (1 + value) for value in r]), abs=1e-9)


def test_negative_halves_are_counted_and_stay_above_minus_one():
    pairs = {"a": (1, 5), "b": (2, 4), "c": (3, 3), "d": (2, 5)}
    table = ratings(
        [("english", song, p, "sad", answer) for song, both in pairs.items() for p, answer in enumerate(both)]
    )
    answers = first_answers(table, "english")
    r = [scipy.stats.pearsonr(*half_means(answers, split, seed=0)[..., 0])[0] for split in range(20)]
    row = only_term(table, n_splits=20)
    assert row["n_splits_negative"] == sum(value < 0 for value in r) > 0
    assert row["reliability"] == pytest.approx(np.mean([2 * value / (1 + abs(value)) for value in r]), abs=1e-9)


def test_the_mean_over_splits_estimates_the_intraclass_correlation():
    """One-way ICC of k raters, 1 - 1/F with scipy's F, and the mean split half estimate one ratio of variances.

    Both do so from the same ratings, so that they differ by terms of the order of 1 / songs only.
    """
    table = two_point(np.random.default_rng(7).uniform(0, 1, (200, 1)), 8, seed=8)
    by_song = table.to_pandas().groupby("song_id")["rating"]
    f = scipy.stats.f_oneway(*(group.to_numpy(float) for _, group in by_song)).statistic
    assert only_term(table, "t00", n_splits=200)["reliability"] == pytest.approx(1 - 1 / f, abs=0.01)


def true_reliability(chance: np.ndarray, n_raters: int) -> float:
    return float(np.var(chance) / (np.var(chance) + np.mean(chance * (1 - chance)) / n_raters))


def recovered(table: pa.Table, truth: float, n_songs: int) -> bool:
    """Is the estimate within four standard errors of the truth?

    Answers are 5 with probability p of the song, else 1: variance of true scores 16 Var(p), of an answer around it
    16 E[p(1-p)], so the mean of k raters has reliability Var(p) / (Var(p) + E[p(1-p)] / k), which stepping up the
    correlation r of two halves estimates. Over n songs, r has a standard error of about (1 - r^2) / sqrt(n - 1), the
    stepped-up value (derivative 2 / (1 + r)^2) one of 2 (1 - r) / ((1 + r) sqrt(n - 1)); averaging splits lowers it.
    """
    r = truth / (2 - truth)
    error = 2 * (1 - r) / ((1 + r) * np.sqrt(n_songs - 1))
    return abs(only_term(table, "t00")["reliability"] - truth) < 4 * error


def test_reliability_recovers_the_truth_within_its_sampling_error_and_not_from_permuted_songs():
    chance = np.random.default_rng(11).uniform(0, 1, (300, 1))
    table = two_point(chance, 8, seed=12)
    truth = true_reliability(chance, 8)
    assert recovered(table, truth, 300)
    assert not recovered(permuted(table, seed=13), truth, 300)


def test_one_rater_a_song_is_excluded_and_counted():
    row = only_term(ratings([("english", f"s{i}", 1, "sad", 1 + i % 5) for i in range(10)]), n_splits=5)
    assert (row["n_songs"], row["n_songs_excluded"], row["n_splits"], row["n_splits_undefined"]) == (0, 10, 0, 5)
    assert (row["reliability"], row["alpha"], row["reason"]) == (None, None, FEW_SONGS)


def test_one_answer_for_everything_has_a_reason_instead_of_a_value():
    row = only_term(ratings([("english", f"s{i}", p, "sad", 3) for i in range(10) for p in range(4)]))
    assert (row["reliability"], row["alpha"], row["reason"]) == (None, None, ALL_ALIKE)


def test_raters_of_a_term_who_never_split_have_a_reason_instead_of_a_value():
    """Two of six raters rate the term: in some splits, both of them fall to the same half of a song."""
    rows = [("english", song, p, "sad" if p < 2 else "calm", 1 + p % 3) for song in "abc" for p in range(6)]
    answers = first_answers(ratings(rows), "english")
    apart = next(s for s in range(50) if np.isnan(half_means(answers, 0, s)[0, :, answers.terms.index("sad")]).any())
    row = only_term(ratings(rows), n_splits=1, seed=apart)
    assert (row["n_songs"], row["reliability"], row["reason"]) == (3, None, NO_SPLIT)
    assert row["alpha"] is not None


def test_raters_who_are_all_alike_are_fully_reliable():
    row = only_term(ratings([("english", f"s{i}", p, "sad", 1 + i % 5) for i in range(10) for p in range(4)]))
    assert row["reliability"] == pytest.approx(1.0)
    assert row["alpha"] == 1.0
    assert row["reason"] is None


def test_a_language_nobody_rated_keeps_its_terms_with_a_reason():
    table = ratings([("english", f"s{i}", p, "sad", 1 + i % 5) for i in range(10) for p in range(4)])
    measured = reliability(table, terms([("english", "sad", None), ("korean", "슬픈", "sad")]), n_splits=2).to_pylist()
    assert [(row["term_id"], row["n_ratings"], row["reason"]) for row in measured] == [
        ("sad", 40, None),
        ("슬픈", 0, NO_RATINGS),
    ]


def test_repeated_answers_change_nothing():
    rows = [("english", f"s{i}", p, "sad", 1 + (i * p) % 5) for i in range(10) for p in range(4)]
    repeats = [(*row[:4], 5, 1) for row in rows]
    assert only_term(ratings(rows + repeats)) == only_term(ratings(rows))


def test_rows_in_another_order_give_the_same_value():
    table = two_point(np.random.default_rng(1).uniform(0, 1, (30, 2)), 5, seed=2)
    shuffled = table.take(pa.array(np.random.default_rng(3).permutation(len(table))))
    wanted = terms([("english", "t00", None), ("english", "t01", None)])
    assert reliability(table, wanted).equals(reliability(shuffled, wanted))
