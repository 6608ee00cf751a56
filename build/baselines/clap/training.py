"""Contrastive training of CLAP that goes on where it was stopped, and ends the same as if it had not been."""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset

from build.baselines.clap.checkpoints import Checkpoints, Progress
from build.baselines.clap.lessons import Example, Lessons
from build.baselines.clap.model import Clap, spectra
from build.baselines.soundfiles import read_crop
from build.errors import RunError
from build.progress import progress

WARMUP_STEPS = 100  # over which the learning rate rises from 0
WEIGHT_DECAY = 0.01
LONGEST_GRADIENT = 1.0  # norm
Say = Callable[[str], None]


@dataclass(frozen=True)
class TuneOptions:
    """How to train. `loaders` are processes that read sound and make spectra; they change nothing but the speed."""

    model: str
    epochs: int = 10
    batch_size: int = 32
    learning_rate: float = 1e-5
    seed: int = 0
    loaders: int = 0

    def identity(self, lessons: str) -> dict[str, Any]:
        """What must be the same for a run to go on from another's checkpoint."""
        return {key: value for key, value in asdict(self).items() if key not in ("epochs", "loaders")} | {
            "lessons": lessons
        }


class _Batches(Dataset):
    """The batches of an epoch: spectra of windows of sound, and their texts."""

    def __init__(self, batches: list[list[Example]], clap: Clap, seed: tuple[int, int]) -> None:
        self.batches, self.extractor, self.window, self.seed = batches, clap.extractor, clap.window, seed

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, list[tuple[str, ...]]]:
        examples = self.batches[index]
        crops = [read_crop(example.sound, self.window, self._generator(example, index)) for example in examples]
        return spectra(self.extractor, crops), [example.texts for example in examples]

    def _generator(self, example: Example, index: int) -> np.random.Generator:
        digest = hashlib.sha256(example.song_id.encode()).digest()
        return np.random.default_rng([*self.seed, index, int.from_bytes(digest[:8], "big")])


def train(clap: Clap, lessons: Lessons, options: TuneOptions, checkpoints: Checkpoints, say: Say) -> Progress:
    """Train up to `options.epochs` epochs, from the last checkpoint where there is one; the best is kept apart.

    Raises RunError where the loss is no number any more.
    """
    optimizer = torch.optim.AdamW(clap.model.parameters(), lr=options.learning_rate, weight_decay=WEIGHT_DECAY)
    done = checkpoints.resume(clap, optimizer)
    for epoch in range(len(done.scores), options.epochs):
        torch.manual_seed(int(np.random.default_rng([options.seed, epoch]).integers(2**31)))
        batches, sentence = lessons.epoch(epoch)
        loss, cut_off = _epoch(clap, batches, optimizer, lessons.weights, options, epoch)
        score = lessons.progress(clap)
        done = done.after(score)
        checkpoints.keep(clap, optimizer, done)
        cuts = f"; {cut_off} texts were cut off" if cut_off else ""
        say(f"epoch {epoch + 1}: loss {loss:.4f}, held out {score:.4f}; {sentence}{cuts}")
    return done


def _epoch(
    clap: Clap,
    batches: list[list[Example]],
    optimizer: torch.optim.Optimizer,
    weights: tuple[float, ...],
    options: TuneOptions,
    epoch: int,
) -> tuple[float, int]:
    """Return the mean loss, and how many texts were cut off because they are too long for the model."""
    loader = DataLoader(
        _Batches(batches, clap, (options.seed, epoch)),
        batch_size=None,
        num_workers=options.loaders,
        shuffle=False,
    )
    clap.model.train()
    total, cut_off = 0.0, 0
    with progress(f"epoch {epoch + 1}", len(batches)) as advance:
        for step, (heard, texts) in enumerate(loader):
            _set_rate(optimizer, options.learning_rate, epoch * len(batches) + step)
            loss, cut = batch_loss(clap, heard, texts, weights)
            if not torch.isfinite(loss):
                raise RunError(f"epoch {epoch + 1}, batch {step + 1}: the loss is {loss.item()}; try a lower --rate")
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(clap.model.parameters(), LONGEST_GRADIENT)
            optimizer.step()
            total += loss.item()
            cut_off += cut
            advance(True)
    clap.model.eval()
    return total / max(len(batches), 1), cut_off


def _set_rate(optimizer: torch.optim.Optimizer, rate: float, step: int) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate * min(1.0, (step + 1) / WARMUP_STEPS)


def batch_loss(
    clap: Clap, heard: torch.Tensor, texts: list[tuple[str, ...]], weights: tuple[float, ...]
) -> tuple[torch.Tensor, int]:
    """The weighted sum, over the kinds of text, of how badly sounds and their texts find each other in the batch.

    heard : what `spectra` makes of the sounds; texts : of each sound, one of each kind; weights : of the kinds

    An example whose text of a kind is empty has no part in that kind. Also returns how many texts were cut off.
    """
    sounds = clap.sound_vectors(heard)
    loss, cut_off = sounds.sum() * 0.0, 0
    for kind, weight in enumerate(weights):
        there = [index for index, example in enumerate(texts) if example[kind]]
        if len(there) > 1:
            inputs, cut = clap.text_inputs([texts[index][kind] for index in there])
            told = clap.model.get_text_features(**inputs).pooler_output
            loss = loss + weight * contrastive(clap, sounds[there], told)
            cut_off += cut
    return loss, cut_off


def contrastive(clap: Clap, sounds: torch.Tensor, texts: torch.Tensor) -> torch.Tensor:
    """The symmetric cross-entropy of CLAP: each sound has to find its text among all of the batch, and the reverse."""
    own = torch.arange(len(sounds), device=sounds.device)
    similarity = sounds @ texts.T
    by_sound = cross_entropy(similarity * clap.model.logit_scale_a.exp(), own)
    return (by_sound + cross_entropy(similarity.T * clap.model.logit_scale_t.exp(), own)) / 2
