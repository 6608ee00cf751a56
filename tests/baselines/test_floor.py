import pytest

from build.baselines.floor import predict_by_features
from build.scoring import TRAIN_MEAN, score
from globalmood import LANGUAGES


def test_features_tell_ratings_that_follow_from_the_sound(songs, tmp_path, here):
    chosen = predict_by_features(songs, tmp_path / "p.parquet", tmp_path / "cache", workers=1)
    assert {row.language for row in chosen} == {"english", "french", "spanish", "korean", "arabic"}
    result = score(tmp_path / "p.parquet", "globalmood:all", songs, against=TRAIN_MEAN, n_draws=200)
    assert all(row["primary"]["value"] > 0.8 for row in result["scores"].values())


@pytest.mark.slow
def test_features_beat_the_train_mean_on_the_sample_in_every_language(sample, command, tmp_path):
    out = tmp_path / "p.parquet"
    said = command("baseline", "features", "--data", sample, "--out", out, "--workers", 1)
    assert "korean: alpha " in said
    compared = score(out, "globalmood:all", sample, against=TRAIN_MEAN, n_draws=500)["comparison"]
    assert all(compared[language.config]["difference"]["low"] > 0 for language in LANGUAGES)
