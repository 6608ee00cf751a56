import numpy as np

from build.synthetic.moods import MOODS, expected_ratings, latent_moods, share


def test_every_mood_takes_every_stratum_of_its_range_once() -> None:
    moods = latent_moods(0, 118)
    assert moods.shape == (118, len(MOODS))
    strata = np.floor(share(moods) * 118).astype(int)
    assert all(sorted(column) == list(range(118)) for column in strata.T)


def test_moods_have_mean_0_and_variance_1() -> None:
    moods = latent_moods(1, 118)
    np.testing.assert_allclose(moods.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(moods.var(axis=0), 1, atol=1e-3)


def test_moods_are_not_redundant() -> None:
    correlation = np.corrcoef(latent_moods(0, 118).T) - np.eye(len(MOODS))
    assert np.abs(correlation).max() < 0.35


def test_a_song_of_middling_mood_gets_the_level_of_the_term() -> None:
    levels = np.array([1.5, 3.0, 4.2])
    np.testing.assert_allclose(expected_ratings(np.zeros((1, 5)), np.ones((3, 5)), levels), [levels])


def test_expected_rating_worked_by_hand() -> None:
    # level 3 is tanh^-1(0) = 0; weight 1 on energy, mood 1 there: 3 + 2 tanh(0.47) = 3 + 2 * 0.43820
    rating = expected_ratings(np.array([[0, 1.0, 0, 0, 0]]), np.array([[0, 1.0, 0, 0, 0]]), np.array([3.0]))
    np.testing.assert_allclose(rating, [[3.87640]], atol=1e-4)


def test_expected_ratings_stay_on_the_scale() -> None:
    ratings = expected_ratings(np.full((1, 5), 9.0), np.array([[1.0] * 5, [-1.0] * 5]), np.array([4.9, 1.1]))
    assert 1 <= ratings.min() < ratings.max() <= 5
