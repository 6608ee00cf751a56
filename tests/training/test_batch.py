"""`build.training.batch`: what arrives of a batch in another process, and by which way."""

import copy
import pickle
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

from build.training import batch as module
from build.training.batch import Batch, as_tensors

SOUNDS = [b"a" * 200_000, None, b"", b"b"]
LABELS = np.array([[1.5, np.nan]], np.float32)


def parts(n_samples=100_000):
    waveform = np.ones((1, 1, n_samples), np.float32)
    return {"song_id": ["x"], "waveform": waveform, "mean": LABELS, "encoded": SOUNDS, "state": {"epoch": 2}}


def arrived(batch):
    return pickle.loads(ForkingPickler.dumps(batch))  # noqa: S301


@pytest.mark.parametrize("sounds", [SOUNDS, [None]], ids=["some", "none"])
@pytest.mark.parametrize("with_torch", [True, False])
def test_what_arrives_is_what_was_sent(monkeypatch, with_torch, sounds):
    if with_torch:
        pytest.importorskip("torch")
    else:
        monkeypatch.setattr(module, "torch", None)
    sent = as_tensors(parts() | {"encoded": sounds})
    there = arrived(copy.copy(sent))
    assert (type(there), list(there)) == (dict, list(sent))
    for name in ("waveform", "mean"):
        assert type(there[name]) is type(sent[name])
        np.testing.assert_array_equal(there[name], sent[name])
    assert {name: there[name] for name in ("song_id", "encoded", "state")} == {
        name: sent[name] for name in ("song_id", "encoded", "state")
    }


def test_sound_goes_beside_the_pipe_and_labels_through_it():
    torch = pytest.importorskip("torch")
    from torch.utils.data import default_convert

    sent = default_convert(as_tensors(parts()))
    assert isinstance(sent, Batch)
    assert len(ForkingPickler.dumps(sent)) < 10_000
    waveform, mean = arrived(sent)["waveform"], arrived(sent)["mean"]
    assert isinstance(waveform, torch.Tensor)
    assert waveform.is_shared()
    assert not mean.is_shared()


def test_labels_that_arrived_can_be_written_to():
    pytest.importorskip("torch")
    mean = arrived(as_tensors(parts()))["mean"]
    mean[0, 0] = 3
    assert mean[0, 0] == 3


def test_what_a_user_put_into_a_batch_is_left_to_torch():
    torch = pytest.importorskip("torch")
    batch = Batch(parts() | {"encoded": torch.ones(3), "loss": torch.ones(1, requires_grad=True)})
    there = copy.deepcopy(batch)
    assert there["loss"].requires_grad
    assert torch.equal(there["encoded"], batch["encoded"])
