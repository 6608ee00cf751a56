"""The sample's known truth: do the built means, and the sound, tell what was put in?"""

import librosa
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from datasets import Audio, load_dataset
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import globalmood

LANGUAGES = [language.config for language in globalmood.LANGUAGES]


@pytest.fixture(scope="module")
def truth(sample, sample_source):
    """Built means and true values of every language: frames of songs by terms."""
    table = pq.read_table(sample_source / "truth.parquet").to_pandas()
    pairs = {}
    for language in LANGUAGES:
        built = globalmood.frame(language, data_dir=sample)
        means = built.pivot(index="song", columns="term", values="mean")
        counts = built.pivot(index="song", columns="term", values="count")
        true = table[table["language"] == language].pivot(index="song_id", columns="term", values="value")
        pairs[language] = (means, counts, true.loc[means.index, means.columns])
    return pairs


def attainable(ratings: pd.DataFrame, true: np.ndarray, counts: np.ndarray) -> float:
    """The correlation with the truth that sampling noise allows: sqrt(V / (V + E)).

    A mean of n ratings is truth + noise of variance s^2 / n, so over songs its expected correlation with the truth is
    sqrt(V / (V + E)), V the variance of the true values over songs and E the mean of s^2 / n. s^2 is the variance
    of single ratings within a song and term, pooled: an unbiased estimate, whoever the raters were.
    """
    within = ratings.groupby("song_id")["rating"].agg(["var", "count"]).query("count > 1")
    noise = np.average(within["var"], weights=within["count"] - 1)
    return float(np.sqrt(true.var() / (true.var() + np.mean(noise / counts[counts > 0]))))


@pytest.mark.parametrize("language", LANGUAGES)
def test_built_means_correlate_with_the_truth_as_far_as_sampling_noise_allows(sample, truth, language):
    """At least 0.9 of `attainable`, on average over terms."""
    means, counts, true = truth[language]
    files = sorted((sample / "ratings").glob(f"{language}-*.parquet"))
    ratings = pd.concat([pq.read_table(path).to_pandas() for path in files]).query("repetition == 0")
    found, allowed = [], []
    for term in means.columns:
        rated = means[term].notna()
        found.append(np.corrcoef(means[term][rated], true[term][rated])[0, 1])
        allowed.append(
            attainable(ratings[ratings["term"] == term], true[term][rated].to_numpy(), counts[term].to_numpy())
        )
    assert np.mean(found) >= 0.9 * np.mean(allowed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_correlation_breaks_when_songs_are_permuted(truth, language):
    """Over n songs a chance correlation has the standard deviation 1/sqrt(n - 1); terms hang together, so 4 of it."""
    means, _, true = truth[language]
    shuffled = means.sample(frac=1, random_state=3)
    found = [np.corrcoef(shuffled[term].fillna(3), true[term])[0, 1] for term in means.columns]
    assert abs(np.mean(found)) < 4 / np.sqrt(len(means) - 1)


def test_simple_features_of_the_sound_beat_the_train_mean_on_test_songs(sample):
    """A ridge on log-mel statistics, chosen within train: the excerpts carry the mood, at even loudness."""
    songs = load_dataset(str(sample), "all").cast_column("audio", Audio(decode=False))
    features = {split: [describe(row["audio"]) for row in rows if row["audio"]] for split, rows in songs.items()}
    for language in LANGUAGES:
        means = {
            split: targets([row[language]["mean"] for row in rows if row["audio"]]) for split, rows in songs.items()
        }
        baseline = np.nanmean(means["train"], axis=0)
        filled = np.where(np.isnan(means["train"]), baseline, means["train"])
        model = make_pipeline(StandardScaler(), RidgeCV(np.logspace(0, 4, 9))).fit(features["train"], filled)
        errors = {
            "ridge": np.nanmean((model.predict(features["test"]) - means["test"]) ** 2),
            "train mean": np.nanmean((baseline - means["test"]) ** 2),
        }
        assert errors["ridge"] < 0.9 * errors["train mean"], (language, errors)


def describe(audio) -> np.ndarray:
    sound, rate_hz = globalmood.waveform(audio, rate_hz=16_000, mono=True)
    mel = librosa.power_to_db(librosa.feature.melspectrogram(y=sound[0], sr=rate_hz, n_mels=32, hop_length=1024))
    return np.concatenate([mel.mean(axis=1), mel.std(axis=1), np.abs(np.diff(mel, axis=1)).mean(axis=1)])


def targets(lists) -> np.ndarray:
    return np.array(lists, dtype=float)
