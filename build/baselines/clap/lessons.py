"""What CLAP is trained on: batches of sounds and texts, anew each epoch, and how far it has come (held-out songs)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from build.analysis.correlation import Floats, mean_defined
from build.baselines.clap.captions import TokenCount, caption
from build.baselines.clap.model import Clap, embed_texts, embed_windows, song_vector
from build.baselines.material import Material
from build.baselines.soundfiles import Paths, read_whole, windows
from build.scoring.measures import within_targets

N_WINDOWS = 2  # of a 15 s excerpt that a model with a window of 10 s takes: from its beginning, and to its end
MARKS = 2  # tokens of beginning and end


class Example(NamedTuple):
    """A sound (a file, of which a window is taken) and the texts that it should lie near."""

    song_id: str
    sound: Path
    texts: tuple[str, ...]


class Lessons(Protocol):
    """What a training run goes through."""

    @property
    def weights(self) -> tuple[float, ...]:
        """How much each kind of text counts in the loss."""

    def epoch(self, number: int) -> tuple[list[list[Example]], str]:
        """The batches of an epoch (never a song twice in one), and a sentence on how their texts came about."""

    def progress(self, clap: Clap) -> float:
        """How good the model is on songs that it does not learn from; higher is better."""


@dataclass(frozen=True)
class MoodLessons:
    """The paper's recipe: one model for all languages, mood terms as texts, original and augmented sounds.

    An epoch takes every song once a language. In one pass over the songs each comes in another language, and in one of
    its variants, both by chance. Songs of `held_fold` are not learnt from: they choose the epoch.
    """

    material: Material
    texts: tuple[str, ...]  # of the targets: native terms, or their translations
    sounds: Paths
    held_fold: int
    max_tokens: int
    batch_size: int
    seed: int
    count_tokens: TokenCount
    weights: tuple[float, ...] = (1.0,)

    def epoch(self, number: int) -> tuple[list[list[Example]], str]:
        """See `Lessons`."""
        rng = np.random.default_rng([self.seed, number])
        learnt = self.songs(held=False)
        groups = tuple(dict.fromkeys(target.group for target in self.material.targets))
        first = rng.integers(len(groups), size=len(self.material.songs))
        batches: list[list[Example]] = []
        sampled = total = 0
        for lap in range(len(groups)):
            order = rng.permutation(learnt)
            made = [self._example(song, groups[(first[song] + lap) % len(groups)], rng) for song in order]
            rated = [example for example in made if example is not None]
            sampled += sum(was_sampled for _, was_sampled in rated)
            total += len(rated)
            batches += cut([example for example, _ in rated], self.batch_size)
        return batches, f"{sampled} of {total} texts outgrew {self.max_tokens} tokens and were sampled"

    def progress(self, clap: Clap) -> float:
        """The primary measure on the held-out fold, averaged over languages."""
        held = self.songs(held=True)
        predicted = self._vectors(clap, held) @ embed_texts(clap, self.texts).T
        groups = dict.fromkeys(target.group for target in self.material.targets)
        return float(mean_defined(np.concatenate([self._measure(held, predicted, group) for group in groups]), axis=0))

    def _measure(self, held: list[int], predicted: Floats, group: str) -> Floats:
        columns = [index for index, target in enumerate(self.material.targets) if target.group == group]
        return within_targets(self.material.rated[held][:, columns], predicted[:, columns])

    def _vectors(self, clap: Clap, songs: Sequence[int]) -> Floats:
        vectors = []
        for song in songs:
            samples = read_whole(self.sounds[self.material.songs[song]][0])
            vectors.append(song_vector(embed_windows(clap, windows(samples, clap.window, N_WINDOWS))))
        return np.stack(vectors)

    def songs(self, held: bool) -> list[int]:
        """Training songs with sound, in or out of the held-out fold."""
        return [
            index
            for index, song_id in enumerate(self.material.songs)
            if self.material.split[index] == "train"
            and (self.material.fold[index] == self.held_fold) == held
            and song_id in self.sounds
        ]

    def _example(self, song: int, group: str, rng: np.random.Generator) -> tuple[Example, bool] | None:
        columns = [index for index, target in enumerate(self.material.targets) if target.group == group]
        means = self.material.rated[song, columns]
        if not np.isfinite(means).any():
            return None
        terms = [self.texts[index] for index in columns]
        text, sampled = caption(terms, means, self.max_tokens - MARKS, self.count_tokens, rng)
        files = self.sounds[self.material.songs[song]]
        return Example(self.material.songs[song], files[int(rng.integers(len(files)))], (text,)), sampled


def cut(examples: Sequence[Example], size: int) -> Iterator[list[Example]]:
    """Batches of `size` examples; a last one of a single example, which has nothing to be told from, is left out."""
    parts = (list(examples[start : start + size]) for start in range(0, len(examples), size))
    return (part for part in parts if len(part) > 1)
