from build.baselines.floor import predict_by_features
from build.scoring import TRAIN_MEAN, score


def test_features_tell_ratings_that_follow_from_the_sound(songs, tmp_path, here):
    chosen = predict_by_features(songs, tmp_path / "p.parquet", tmp_path / "cache", workers=1)
    assert {row.language for row in chosen} == {"english", "french", "spanish", "korean", "arabic"}
    result = score(tmp_path / "p.parquet", "globalmood:all", songs, against=TRAIN_MEAN, n_draws=200)
    assert all(row["primary"]["value"] > 0.8 for row in result["scores"].values())
