import numpy as np
import pytest

from build.baselines.ridge import ALPHAS, choose, fit


def problem(noise, n=120, n_features=30, n_terms=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(5, 3, (n, n_features))
    rated = features[:, :n_terms] * 0.3 + rng.normal(0, noise, (n, n_terms))
    return features, rated, np.arange(n) % 5


def test_ridge_is_the_closed_form_of_standardised_features():
    features, rated, _ = problem(0.5)
    standard = (features - features.mean(axis=0)) / features.std(axis=0)
    weights = np.linalg.solve(standard.T @ standard + 10 * np.eye(30), standard.T @ (rated - rated.mean(axis=0)))
    wanted = standard @ weights + rated.mean(axis=0)
    assert fit(features, rated, 10.0).predict(features) == pytest.approx(wanted, abs=1e-9)


def test_a_term_is_learnt_from_the_songs_that_are_rated_on_it():
    features, rated, _ = problem(0.5)
    holed = rated.copy()
    holed[::3, 1] = np.nan
    alone = fit(features, holed, 1.0)
    assert np.isfinite(alone.predict(features)).all()
    assert alone.weights[:, 0] == pytest.approx(fit(features, rated, 1.0).weights[:, 0], abs=1e-9)
    assert not np.allclose(alone.weights[:, 1], fit(features, rated, 1.0).weights[:, 1])


def test_a_term_rated_for_too_few_songs_is_predicted_by_its_mean():
    features, rated, _ = problem(0.5)
    rated[2:, 2] = np.nan
    predicted = fit(features, rated, 1.0).predict(features)[:, 2]
    assert predicted == pytest.approx(np.full(120, rated[:2, 2].mean()))


def test_a_constant_feature_does_no_harm():
    features, rated, _ = problem(0.5)
    features[:, 4] = 7
    assert np.isfinite(fit(features, rated, 1.0).predict(features)).all()


def test_the_folds_choose_more_shrinkage_where_there_is_more_noise():
    clean, noisy = (choose(*problem(noise)) for noise in (0.05, 5.0))
    assert clean.alpha < noisy.alpha
    assert set(clean.tried) == set(ALPHAS)
    assert clean.tried[clean.alpha] == max(clean.tried.values())


def test_songs_that_are_held_out_are_not_learnt_from():
    """Pure noise: whatever is learnt on four folds tells nothing about the fifth."""
    rng = np.random.default_rng(1)
    chosen = choose(rng.normal(size=(200, 60)), rng.normal(size=(200, 4)), np.arange(200) % 5)
    assert max(chosen.tried.values()) < 0.2
