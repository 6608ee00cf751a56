"""The example learns what the synthetic sample has to teach, and the same on every run."""

import pytest

torch = pytest.importorskip("torch")

from tests.examples import train  # noqa: E402


def test_a_model_on_log_mel_features_beats_the_train_means_on_test(sample):
    model = train.train("korean", sample, epochs=2, workers=0)
    of_model, of_means = train.test(model, "korean", sample, workers=0)
    assert of_model < 0.9 * of_means


def test_the_model_starts_as_the_train_mean_predictor(sample):
    model = train.train("korean", sample, epochs=0, workers=0)
    of_model, of_means = train.test(model, "korean", sample, workers=0)
    assert of_model == pytest.approx(of_means, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["english", "french", "spanish", "korean", "arabic"])
def test_every_language_can_be_learned(sample, language):
    of_model, of_means = train.test(train.train(language, sample, epochs=8, workers=2), language, sample, workers=2)
    assert of_model < 0.75 * of_means
