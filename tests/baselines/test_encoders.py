import contextlib
import sys
import types

import numpy as np
import pytest
import torch
from transformers import AutoFeatureExtractor, AutoModel, BertConfig, BertModel

from build.baselines import embeddings, stage
from build.baselines.embeddings import embed_songs
from build.baselines.encoders import _Clap, load_encoder, weights_of
from build.baselines.sounds import sound_groups
from build.errors import InputError, RunError
from tests.baselines import tiny
from tests.baselines.here import Here


def test_clap_gives_unit_vectors(clap_folder):
    encoder = load_encoder(f"clap:{clap_folder}", "cpu")
    vectors = encoder.encode([np.random.default_rng(0).normal(0, 0.1, encoder.window).astype(np.float32)])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0], abs=1e-5)


@pytest.mark.parametrize(
    ("made", "rate_hz", "seconds"),
    [(tiny.wav2vec2, 16_000, 10), (tiny.ast, 16_000, 10), (tiny.whisper, 16_000, 4)],
    ids=["wav2vec2", "ast", "whisper"],
)
def test_an_encoder_of_transformers_gives_the_mean_of_its_last_states(made, rate_hz, seconds, tmp_path):
    folder = made(tmp_path)
    encoder = load_encoder(f"transformers:{folder}", "cpu")
    window = np.random.default_rng(0).normal(0, 0.1, rate_hz).astype(np.float32)
    inputs = AutoFeatureExtractor.from_pretrained(folder)(window, sampling_rate=rate_hz, return_tensors="pt")
    model = AutoModel.from_pretrained(folder).eval()
    model = model.encoder if made is tiny.whisper else model
    with torch.inference_mode():
        wanted = model(*inputs.values()).last_hidden_state[0].mean(dim=0).numpy()
    assert encoder.encode([window])[0] == pytest.approx(wanted, abs=1e-6)
    assert (encoder.rate_hz, encoder.window) == (rate_hz, seconds * rate_hz)


def test_muq_is_used_through_its_own_package(monkeypatch):
    """Its weights are not at hand here: a stand-in for the package shows how it is called."""

    class Stand:
        def from_pretrained(self, name):
            self.name = name
            return self

        def to(self, device):
            return self

        def eval(self):
            return self

        def __call__(self, samples):
            return types.SimpleNamespace(last_hidden_state=samples.reshape(1, -1, 2))

    monkeypatch.setitem(sys.modules, "muq", types.SimpleNamespace(MuQ=Stand()))
    encoder = load_encoder("muq:OpenMuQ/MuQ-large-msd-iter", "cpu")
    assert encoder.rate_hz == 24_000
    assert encoder.encode([np.array([1, 2, 3, 6], np.float32)]).tolist() == [[2.0, 4.0]]


def test_a_package_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "muq", None)
    with pytest.raises(InputError, match="the package 'muq' is needed for this encoder: pip install muq"):
        load_encoder("muq:x", "cpu")


@pytest.mark.parametrize("spec", ["clap", "clap:", "mert:x"])
def test_an_unknown_kind_is_refused(spec):
    with pytest.raises(InputError, match=f"--encoder {spec}: wanted KIND:NAME with a kind of clap, transformers, muq"):
        load_encoder(spec, "cpu")


def test_weights_that_cannot_be_loaded_are_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot be loaded"):
        load_encoder(f"transformers:{tmp_path}", "cpu")


def test_vectors_depend_on_the_weights_and_not_on_where_they_lie(tmp_path, clap_folder):
    same, other = tiny.clap(tmp_path / "same"), tiny.clap(tmp_path / "other", seed=1)
    assert weights_of(f"clap:{same}") == weights_of(f"clap:{clap_folder}")
    assert weights_of(f"clap:{other}") != weights_of(f"clap:{clap_folder}")
    assert weights_of("clap:laion/some") == "clap:laion/some"


def test_songs_are_embedded_by_windows_that_cover_them_in_processes_as_here(songs, clap_folder, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(stage, "workers_at", lambda dask, workers: contextlib.nullcontext(Here()))
        here = embed_songs(sound_groups(songs)[:2], f"clap:{clap_folder}", "cpu", tmp_path / "1", workers=1)
    there = embed_songs(sound_groups(songs)[:2], f"clap:{clap_folder}", "cpu", tmp_path / "2", workers=1)
    assert {vectors.shape for vectors in here.values()} == {(2, 16)}
    assert all(np.array_equal(here[song_id], there[song_id]) for song_id in here)


def test_a_model_that_hears_nothing_is_refused(tmp_path):
    config = BertConfig(vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=1)
    BertModel(config).save_pretrained(tmp_path)
    with pytest.raises(InputError, match=r"--encoder transformers:.*: cannot be loaded"):
        load_encoder(f"transformers:{tmp_path}", "cpu")


def test_a_sound_of_which_a_model_makes_no_numbers_is_named(songs, clap_folder, tmp_path, here, monkeypatch):
    encoder = _Clap(48_000, 96_000, lambda windows: np.full((len(windows), 4), np.nan))
    monkeypatch.setattr(embeddings, "_loaded", lambda *_: encoder)
    with pytest.raises(RunError, match=r"m0.*: what the encoder makes of this sound is no number; take the song out"):
        embed_songs(sound_groups(songs)[:1], f"clap:{clap_folder}", "cpu", tmp_path, workers=1)


def test_clap_by_the_wrong_kind_is_told_the_right_one(clap_folder):
    with pytest.raises(InputError, match="of these only CLAP can be used, as clap:NAME"):
        load_encoder(f"transformers:{clap_folder}", "cpu")
