"""A head on a frozen encoder: from a folder of tracks to scores, by a tiny model."""

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from build.baselines import stage
from build.baselines.aesthetics import head as h
from build.baselines.aesthetics import scores
from build.baselines.aesthetics.scores import HeadOptions, predict_scores
from build.baselines.embeddings import EMBEDDINGS
from build.baselines.material import read_tracks
from build.baselines.place import Place
from build.errors import InputError
from build.scoring import score
from tests.baselines import tiny
from tests.baselines.made import tracks_with_sound

NAN = float("nan")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return f"transformers:{tiny.wav2vec2(tmp_path_factory.mktemp('w2v'))}"


@pytest.fixture
def predict(tracks, encoder, command, tmp_path):
    def run(name: str, *options: object) -> bytes:
        out = tmp_path / f"{name}.parquet"
        where = ("--data", tracks, "--encoder", encoder, "--out", out)
        said = command("baseline", "head", *where, "--epochs", 3, *options)
        assert "of 3 is best, with a squared error of" in said
        assert f"score it with `python -m build score {out} --task madb --data {tracks}`" in said
        return out.read_bytes()

    return run


def test_validation_tracks_are_scored_on_all_dimensions(tracks, predict, tmp_path):
    predict("p", "--correlation", 0.5)
    result = score(tmp_path / "p.parquet", "madb", tracks, n_draws=100)
    assert pq.read_table(tmp_path / "p.parquet")["song_id"].to_pylist() == ["4", "8", "12", "16", "20", "24", "28"]
    assert {note["kind"] for note in result["notes"]} == {"unmeasurable"}  # dimensions on which all tracks are alike


def test_vectors_are_kept_as_parquet_and_a_seed_gives_the_same_file_again(predict, tmp_path, monkeypatch):
    first = predict("first")
    (path,) = {file.parent for file in (tmp_path / "work" / "baselines").rglob("*.parquet")}
    tables = [pq.read_table(file) for file in path.iterdir()]
    assert path.name == "embeddings"
    assert all(table.schema.names == EMBEDDINGS.names for table in tables)
    assert sum(len(table) for table in tables) == 29  # a window for each track, since none is longer
    monkeypatch.setattr(stage, "workers_at", None)  # nothing is embedded again
    assert predict("again") == first
    assert predict("other", "--seed", 1) != first


def test_a_head_learns_scores_that_follow_from_the_vectors(tracks, tmp_path, monkeypatch):
    material = read_tracks(tracks)
    rng, overall = np.random.default_rng(0), material.rated[:, :1]
    vectors = {
        track: overall[index] / 5 + rng.normal(0, 0.02, (1 + index % 3, 8))
        for index, track in enumerate(material.songs)
    }
    monkeypatch.setattr(scores, "embed_songs", lambda *_: vectors)
    options = HeadOptions(epochs=40, batch_size=8, learning_rate=3e-3)
    predict_scores("none", options, Place(tracks, tmp_path), tmp_path / "p.parquet", lambda _: None)
    overall_score = score(tmp_path / "p.parquet", "madb", tracks, n_draws=100)["scores"]["madb"]["targets"][0]
    assert overall_score["lcc"] > 0.9


def test_what_does_not_apply_has_no_part_in_the_loss():
    predicted = torch.tensor([[1.0, 9.0], [3.0, 9.0], [5.0, 2.0]], requires_grad=True)
    rated = torch.tensor([[2.0, NAN], [3.0, NAN], [3.0, 1.0]])
    loss = h.loss(predicted, rated, 0.0)
    assert loss.item() == pytest.approx((1 + 0 + 4 + 1) / 4)
    loss.backward()
    assert predicted.grad[:2, 1].tolist() == [0, 0]


def test_the_optional_part_is_one_minus_r_of_dimensions_with_enough_tracks():
    predicted = torch.tensor([[1.0, 9.0], [2.0, 9.0], [4.0, 2.0]])
    rated = torch.tensor([[2.0, NAN], [1.0, NAN], [5.0, 1.0]])
    r = np.corrcoef([1, 2, 4], [2, 1, 5])[0, 1]
    wanted = (1 + 1 + 1 + 1) / 4 + 0.5 * (1 - r)
    assert h.loss(predicted, rated, 0.5).item() == pytest.approx(wanted, abs=1e-6)


def test_a_correlation_that_cannot_be_measured_adds_nothing():
    predicted, rated = torch.tensor([[1.0], [2.0]]), torch.tensor([[2.0], [2.0]])
    assert h.loss(predicted, rated, 0.5).item() == pytest.approx(0.5)


def test_windows_that_a_track_does_not_have_change_nothing():
    torch.manual_seed(0)
    head = h.Head(4, 3, np.array([3.0, 2.0])).eval()
    torch.nn.init.normal_(head.scores[1].weight)
    vectors, there = h.padded([np.ones((2, 4))], 3)
    told = head(vectors, there)
    vectors[0, 2] = 99.0
    assert head(vectors, there)[0].tolist() == pytest.approx(told[0].tolist(), abs=1e-6)


def test_before_it_has_learnt_anything_a_head_says_the_means():
    vectors, there = h.padded([np.ones((2, 4)), np.zeros((1, 4))], 3)
    assert h.Head(4, 3, np.array([3.0, 2.0])).eval()(vectors, there).tolist() == [[3, 2], [3, 2]]


def test_too_little_sound_says_what_to_do(command, encoder, tmp_path):
    folder = tracks_with_sound(tmp_path, n_tracks=4)
    with pytest.raises(InputError, match="no track to hold out has sound; build it with more audio"):
        command("baseline", "head", "--data", folder, "--encoder", encoder)


def test_songs_are_no_tracks(songs, command, encoder):
    with pytest.raises(InputError, match="is no built MADB folder; `python -m build madb` makes one"):
        command("baseline", "head", "--data", songs, "--encoder", encoder)
