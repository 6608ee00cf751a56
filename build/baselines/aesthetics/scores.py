"""Scores from a frozen encoder: embed every track once, train a head on the vectors."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from build.analysis.correlation import Floats, mean_defined
from build.baselines.aesthetics.head import Head, loss, padded
from build.baselines.embeddings import MOST_WINDOWS, embed_songs
from build.baselines.material import Material, read_tracks, write_predictions
from build.baselines.place import Place
from build.baselines.sounds import sound_groups
from build.errors import InputError

Say = Callable[[str], None]
WEIGHT_DECAY = 0.01


@dataclass(frozen=True)
class HeadOptions:
    """How to train a head. `correlation` weighs 1 - r against the squared error; `held_fold` chooses the epoch."""

    epochs: int = 50
    batch_size: int = 64
    learning_rate: float = 1e-3
    correlation: float = 0.0
    held_fold: int = 0
    seed: int = 0


def predict_scores(encoder: str, options: HeadOptions, place: Place, out: Path, say: Say) -> int:
    """Write predictions for every validation track with sound; return how many there are.

    Raises InputError where no training track, in or out of the held-out fold, has sound.
    """
    tracks = read_tracks(place.folder)
    vectors = embed_songs(sound_groups(place.folder), encoder, place.device, place.cache, place.workers, place.dask)
    material = tracks.only(sorted(vectors, key=int))
    learnt = (material.split == "train") & (material.fold != options.held_fold)
    held = (material.split == "train") & (material.fold == options.held_fold)
    test = material.split == "validation"
    for name, chosen in (("learn from", learnt), ("hold out", held), ("predict", test)):
        if not chosen.any():
            raise InputError(f"{place.folder}: no track to {name} has sound; build it with more audio")
    torch.manual_seed(options.seed)
    inputs, there = padded([vectors[track] for track in material.songs], MOST_WINDOWS)
    head = _trained(
        Head(inputs.shape[2], MOST_WINDOWS, _start(material, learnt)), inputs, there, material, options, say
    )
    predicted = _predict(head, inputs[test], there[test])
    write_predictions(out, np.array(material.songs)[test].tolist(), material.targets, predicted)
    return int(test.sum())


def _start(material: Material, learnt: NDArray[np.bool_]) -> Floats:
    return np.nan_to_num(mean_defined(material.rated[learnt], axis=0), nan=3.0)


def _trained(
    head: Head, inputs: torch.Tensor, there: torch.Tensor, material: Material, options: HeadOptions, say: Say
) -> Head:
    """The head after the epoch that does best on the held-out fold."""
    rated = torch.tensor(material.rated, dtype=torch.float32)
    train = material.split == "train"
    learnt = np.flatnonzero(train & (material.fold != options.held_fold))
    held = np.flatnonzero(train & (material.fold == options.held_fold))
    optimizer = torch.optim.AdamW(head.parameters(), lr=options.learning_rate, weight_decay=WEIGHT_DECAY)
    best, state, best_epoch = _error(head, inputs, there, rated, held), copy.deepcopy(head.state_dict()), 0
    for epoch in range(options.epochs):
        order = np.random.default_rng([options.seed, epoch]).permutation(learnt)
        head.train()
        for start in range(0, len(order), options.batch_size):
            batch = order[start : start + options.batch_size]
            wrong = loss(head(inputs[batch], there[batch]), rated[batch], options.correlation)
            optimizer.zero_grad()
            wrong.backward()
            optimizer.step()
        error = _error(head, inputs, there, rated, held)
        if error < best:
            best, state, best_epoch = error, copy.deepcopy(head.state_dict()), epoch + 1
    say(f"head: epoch {best_epoch} of {options.epochs} is best, with a squared error of {best:.4f} on held-out tracks")
    head.load_state_dict(state)
    return head


@torch.inference_mode()
def _error(
    head: Head, inputs: torch.Tensor, there: torch.Tensor, rated: torch.Tensor, tracks: NDArray[np.int64]
) -> float:
    head.eval()
    return float(loss(head(inputs[tracks], there[tracks]), rated[tracks], correlation=0.0))


@torch.inference_mode()
def _predict(head: Head, inputs: torch.Tensor, there: torch.Tensor) -> Floats:
    head.eval()
    return head(inputs, there).double().numpy()
