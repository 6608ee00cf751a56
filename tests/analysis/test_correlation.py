import numpy as np
import pytest
import scipy.stats

from build.analysis.correlation import interval, mean_defined, pearson, song_draws, stepped_up

pytestmark = pytest.mark.filterwarnings("error")


def columns(seed: int, n_songs: int = 40, n_columns: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(1, 6, (2, n_songs, n_columns)).astype(float)
    y += x * rng.uniform(-1, 1, n_columns)
    x[rng.random(x.shape) < 0.1] = np.nan
    y[rng.random(y.shape) < 0.1] = np.nan
    return x, y


def test_r_agrees_with_scipy_over_the_songs_that_both_have():
    x, y = columns(1)
    for column, r in enumerate(pearson(x, y)[0]):
        both = np.isfinite(x[:, column]) & np.isfinite(y[:, column])
        assert r == pytest.approx(scipy.stats.pearsonr(x[both, column], y[both, column])[0], abs=1e-9)


def test_weighted_r_agrees_with_scipy_on_repeated_songs():
    x, y = columns(2)
    weights = song_draws(len(x), 5, seed=3)
    measured = pearson(x, y, weights)
    for draw, column in np.ndindex(measured.shape):
        both = np.isfinite(x[:, column]) & np.isfinite(y[:, column])
        times = weights[draw, both].astype(int)
        peer = scipy.stats.pearsonr(np.repeat(x[both, column], times), np.repeat(y[both, column], times))[0]
        assert measured[draw, column] == pytest.approx(peer, abs=1e-9)


def test_r_keeps_its_digits_far_from_zero():
    x, y = columns(4, n_columns=1)
    assert pearson(x + 1e6, y + 1e6)[0] == pytest.approx(pearson(x, y)[0], abs=1e-7)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1, 2], [1, 2]),
        ([1, 2, np.nan], [1, 2, 3]),
        ([3, 3, 3, 3], [1, 2, 3, 4]),
        ([1, 2, 3, 4], [0.1, 0.1, 0.1, 0.1]),
        ([np.nan] * 4, [1, 2, 3, 4]),
    ],
    ids=["two songs", "two common songs", "constant", "constant with rounding", "nothing"],
)
def test_r_is_undefined_without_three_common_songs_or_without_variance(x, y):
    assert np.isnan(pearson(np.array([x], float).T, np.array([y], float).T)).all()


def test_no_songs_at_all_give_an_undefined_r():
    assert np.isnan(pearson(np.zeros((0, 2)), np.zeros((0, 2)))).tolist() == [[True, True]]


def test_a_draw_that_repeats_one_song_is_undefined_and_the_others_are_not():
    x = np.array([[1.0], [2.0], [4.0]])
    r = pearson(x, x, np.array([[3.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    assert np.isnan(r[0, 0])
    assert r[1, 0] == pytest.approx(1.0)


@pytest.mark.parametrize(("half", "full"), [(0.6, 0.75), (1, 1), (0, 0), (-0.5, -2 / 3), (-1, -1)])
def test_stepping_up_is_spearman_brown_and_odd_below_zero(half, full):
    assert stepped_up(np.array([half], float))[0] == pytest.approx(full, abs=1e-12)


def test_the_mean_leaves_undefined_values_out():
    values = np.array([[1.0, np.nan, 3.0], [np.nan] * 3])
    assert mean_defined(values, axis=1).tolist() == pytest.approx([2.0, np.nan], nan_ok=True)


def test_the_interval_cuts_two_and_a_half_percent_from_either_end():
    assert interval(np.array([*range(1001), np.nan])) == pytest.approx((25.0, 975.0))


def test_there_is_no_interval_without_a_defined_draw():
    assert interval(np.array([np.nan])) is None


def test_draws_hold_as_many_songs_as_there_are_and_repeat_with_the_seed():
    draws = song_draws(30, 50, seed=1)
    assert (draws.sum(axis=1) == 30).all()
    assert np.array_equal(draws, song_draws(30, 50, seed=1))
    assert not np.array_equal(draws, song_draws(30, 50, seed=2))


def test_no_songs_can_be_drawn_from_none():
    assert song_draws(0, 3, seed=1).shape == (3, 0)
