import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from sklearn.metrics import mean_squared_error

from build.scoring import measures

NAN = math.nan


def columns(seed: int, n_songs: int = 30, n_columns: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rated = rng.integers(1, 6, (n_songs, n_columns)).astype(float)
    predicted = np.round(rated * rng.uniform(-1, 1, n_columns) + rng.normal(0, 1, rated.shape), 1)
    rated[rng.random(rated.shape) < 0.15] = np.nan
    return rated, predicted


def pairs(rated: np.ndarray, predicted: np.ndarray):
    for column in range(rated.shape[1]):
        there = np.isfinite(rated[:, column])
        yield rated[there, column], predicted[there, column]


def test_r_by_hand():
    """Of 1 2 3 and 1 3 2: covariance 1/2, both variances 1."""
    assert measures.correlations(np.array([[1.0], [2], [3]]), np.array([[1.0], [3], [2]])) == pytest.approx(
        0.5, abs=1e-12
    )


def test_r_agrees_with_scipy():
    rated, predicted = columns(1)
    wanted = [scipy.stats.pearsonr(*pair).statistic for pair in pairs(rated, predicted)]
    assert measures.correlations(rated, predicted)[0] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_r_does_not_depend_on_the_scale_of_predictions(scale):
    rated, predicted = columns(2)
    scaled = measures.correlations(rated, 7 + scale * predicted)
    assert scaled == pytest.approx(measures.correlations(rated, predicted), abs=1e-9)


def test_r_of_bootstrap_draws_agrees_with_statsmodels():
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    rated, predicted = columns(3)
    weights = measures.draw_songs(len(rated), 4, seed=1)
    for draw, measured in zip(weights, measures.correlations(rated, predicted, weights), strict=True):
        for column, (x, y) in enumerate(pairs(rated, predicted)):
            there = np.isfinite(rated[:, column])
            peer = weightstats.DescrStatsW(np.column_stack([x, y]), weights=draw[there]).corrcoef[0, 1]
            assert measured[column] == pytest.approx(peer, abs=1e-12)


def test_what_is_not_predicted_counts_as_the_mean_of_what_is():
    rated = np.array([[1.0], [2], [3], [6]])
    given = measures.correlations(rated, np.array([[1.0], [NAN], [3], [NAN]]))
    assert given == pytest.approx(measures.correlations(rated, np.array([[1.0], [2], [3], [2]])), abs=1e-12)


def test_leaving_out_the_songs_that_went_wrong_does_not_help_a_chance_predictor():
    rng = np.random.default_rng(4)
    rated, predicted = rng.normal(size=(2, 200, 1))
    wrong = (rated - rated.mean()) * (predicted - predicted.mean()) < 0
    honest = np.where(wrong, NAN, predicted)
    full = scipy.stats.pearsonr(rated[~wrong], predicted[~wrong]).statistic
    assert measures.correlations(rated, honest)[0, 0] < full


@pytest.mark.parametrize("constant", [0.0, 2.5, 1 / 3, NAN])
def test_a_constant_prediction_has_r_0(constant):
    rated = np.array([[1.0], [2], [4]])
    assert measures.correlations(rated, np.full((3, 1), constant)).tolist() == [[0.0]]


def test_a_prediction_that_is_constant_where_ratings_are_has_r_0():
    rated = np.array([[1.0], [2], [4], [NAN]])
    assert measures.correlations(rated, np.array([[2.0], [2], [2], [5]])).tolist() == [[0.0]]


@pytest.mark.parametrize("rated", [[2, 2, 2, 2], [1, 2, NAN, NAN]], ids=["all alike", "two songs"])
def test_ratings_that_cannot_tell_give_no_r(rated):
    assert np.isnan(measures.correlations(np.array([rated], float).T, np.array([[1.0], [2], [3], [4]]))).all()


def test_primary_is_the_mean_over_targets_that_can_tell():
    rated = np.array([[1.0, 1, 7], [2, 2, 7], [3, 3, 7]])
    predicted = np.array([[1.0, 1, 1], [2, 3, 2], [3, 2, 3]])
    assert measures.within_targets(rated, predicted) == pytest.approx((1 + 0.5) / 2, abs=1e-12)


def test_second_is_the_mean_over_songs_of_r_over_targets():
    rated = np.array([[1.0, 2, 3], [3, 2, 1]])
    predicted = np.array([[1.0, 3, 2], [3, 2, 1]])
    assert measures.within_songs(rated, predicted) == pytest.approx((0.5 + 1) / 2, abs=1e-12)


def test_second_of_a_draw_counts_songs_as_often_as_they_are_drawn():
    rated = np.array([[1.0, 2, 3], [3, 2, 1]])
    predicted = np.array([[1.0, 3, 2], [3, 2, 1]])
    drawn = measures.within_songs(rated, predicted, np.array([[2.0, 0], [1, 1], [0, 2]]))
    assert drawn == pytest.approx([0.5, 0.75, 1], abs=1e-12)


def test_a_song_without_predictions_counts_0_in_the_second_measure():
    rated = np.array([[1.0, 2, 3], [3, 2, 1]])
    assert measures.within_songs(rated, np.array([[1.0, 2, 3], [NAN] * 3])) == pytest.approx(0.5, abs=1e-12)


def test_cohens_q_of_the_paper():
    assert measures.cohens_q(0.46, 0.11) == pytest.approx(0.39, abs=0.005)


def test_cohens_q_is_half_the_difference_of_log_ratios():
    wanted = 0.5 * (math.log(1.6 / 0.4) - math.log(1.2 / 0.8))
    assert measures.cohens_q(0.6, 0.2) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("perfect", [1.0, -1.0, 1 - 1e-15])
def test_cohens_q_of_a_perfect_correlation_is_undefined(perfect):
    assert measures.cohens_q(perfect, 0.5) is None


def test_bootstrap_p_by_hand():
    """Of 19 draws 1 is on the rarer side: 2 (1 + 1) / (19 + 1)."""
    assert measures.bootstrap_p(np.array([-1.0] + [1.0] * 18)) == pytest.approx(0.2, abs=1e-12)


def test_bootstrap_p_is_1_where_there_is_no_difference():
    assert measures.bootstrap_p(np.zeros(50)) == 1.0


def test_bootstrap_p_of_nothing_is_undefined():
    assert measures.bootstrap_p(np.array([NAN, NAN])) is None


def test_the_interval_holds_the_middle_95_percent_of_draws():
    estimate = measures.estimate(np.array([0.5]), np.arange(1001.0))
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.5, 25, 975))


def test_squared_errors_agree_with_scikit_learn():
    rated, predicted = columns(5)
    wanted = [mean_squared_error(*pair) for pair in pairs(rated, predicted)]
    assert measures.squared_errors(rated, predicted) == pytest.approx(wanted, abs=1e-12)


def test_squared_error_of_nothing_predicted_is_undefined():
    assert np.isnan(measures.squared_errors(np.array([[1.0], [2]]), np.full((2, 1), NAN))).all()


def tau_b(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's tau-b by its definition, over all pairs."""
    dx, dy = (np.sign(v[:, None] - v[None, :])[np.triu_indices(len(v), 1)] for v in (x, y))
    return float((dx * dy).sum() / math.sqrt((dx != 0).sum() * (dy != 0).sum()))


def test_rank_correlations_with_ties_agree_with_pandas_and_with_the_definition():
    rated, predicted = columns(6)
    rho, tau = measures.rank_correlations(rated, predicted)
    for column, (x, y) in enumerate(pairs(rated, predicted)):
        ranks = pd.Series(x).rank(), pd.Series(y).rank()
        assert rho[column] == pytest.approx(np.corrcoef(*ranks)[0, 1], abs=1e-12)
        assert tau[column] == pytest.approx(tau_b(x, y), abs=1e-12)


def test_rank_correlations_by_hand():
    """1 2 3 4 against 1 2 4 3: five pairs of six agree, and the squared rank differences add up to 2."""
    rho, tau = measures.rank_correlations(np.array([[1.0], [2], [3], [4]]), np.array([[1.0], [2], [4], [3]]))
    assert (rho[0], tau[0]) == pytest.approx((1 - 6 * 2 / (4 * 15), 4 / 6), abs=1e-12)


def test_rank_correlations_of_a_constant_are_0_and_of_constant_ratings_undefined():
    rho, tau = measures.rank_correlations(np.array([[1.0, 5], [2, 5], [3, 5]]), np.array([[2.0, 1], [2, 2], [2, 3]]))
    assert (rho[0], tau[0]) == (0, 0)
    assert np.isnan([rho[1], tau[1]]).all()
