"""Whether simple features of the sound, its loudness evened out, tell the ratings of songs not heard before."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from build.synthetic.moods import MOODS, expected_ratings, latent_moods
from build.synthetic.seeds import generator
from build.synthetic.sound import synthesise
from build.synthetic.vocabulary import vocabularies

RATE_HZ = 16_000
N_SONGS = 118


EDGES_HZ = np.geomspace(60.0, 7_500.0, 25)


def features(number: int, moods: np.ndarray) -> np.ndarray:
    """Mean and spread over 15 s of the levels of 24 bands, and of how fast they rise."""
    mono = synthesise(moods, generator(0, "music", number), 15.0, RATE_HZ).mean(axis=0)
    frames = np.lib.stride_tricks.sliding_window_view(mono, 1_024)[::512] * np.hanning(1_024)
    power = np.square(np.abs(np.fft.rfft(frames))) / np.mean(np.square(frames))
    first = np.unique(np.searchsorted(np.fft.rfftfreq(1_024, 1 / RATE_HZ), EDGES_HZ))
    level_db = 10 * np.log10(np.add.reduceat(power, first, axis=1) + 1e-3)
    rise = np.maximum(np.diff(level_db, axis=0), 0).mean(axis=1)
    return np.r_[level_db.mean(axis=0), level_db.std(axis=0), rise.mean(), rise.std()]


@pytest.fixture(scope="module")
def heard() -> np.ndarray:
    return np.stack([features(number, row) for number, row in enumerate(latent_moods(0, N_SONGS))])


def predicted(heard: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Predictions by ridge regression for each sixth of the songs from the other five sixths."""
    model = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-1, 4, 11)))
    return cross_val_predict(model, heard, wanted, cv=KFold(6, shuffle=True, random_state=0))


def explained(wanted: np.ndarray, guess: np.ndarray) -> np.ndarray:
    return 1 - np.square(wanted - guess).sum(axis=0) / np.square(wanted - wanted.mean(axis=0)).sum(axis=0)


def test_every_mood_can_be_heard(heard: np.ndarray) -> None:
    moods = latent_moods(0, N_SONGS)
    found = dict(zip(MOODS, explained(moods, predicted(heard, moods)), strict=True))
    assert min(found.values()) > 0.35, found


@pytest.mark.parametrize("language", sorted(vocabularies()))
def test_sound_tells_expected_ratings_of_songs_not_heard_before(heard: np.ndarray, language: str) -> None:
    words = vocabularies()[language]
    expected = expected_ratings(latent_moods(0, N_SONGS), words.weights, words.levels)
    assert explained(expected, predicted(heard, expected)).mean() > 0.5


def test_it_does_not_if_songs_are_mixed_up(heard: np.ndarray) -> None:
    moods = latent_moods(0, N_SONGS)[np.random.default_rng(0).permutation(N_SONGS)]
    assert explained(moods, predicted(heard, moods)).mean() < 0.05
