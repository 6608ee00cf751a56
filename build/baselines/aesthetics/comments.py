"""CLAP adapted to what annotators write (MADB sections 4.1 and 4.3): comments, and tags if asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow.parquet as pq
import torch

from build.baselines.clap.checkpoints import Checkpoints, Progress
from build.baselines.clap.lessons import Example, cut
from build.baselines.clap.model import Clap, load_clap, spectra
from build.baselines.clap.training import Say, TuneOptions, batch_loss, train
from build.baselines.material import Material, read_tracks
from build.baselines.place import Place
from build.baselines.soundfiles import Paths, lay_out, read_whole, window_stage
from build.baselines.sounds import sound_groups
from build.errors import InputError

HELD_FOLD = 0
LEAST_TRACKS = 2  # that a batch needs, to tell one from the other
WINDOWS = 3  # laid out of every track: its beginning, middle and end
COMMENT_WEIGHT, TAGS_WEIGHT = 1.0, 0.2  # in the loss
Comments = dict[str, list[str]]  # track -> texts
Item = TypeVar("Item")


@dataclass(frozen=True)
class CommentLessons:
    """Each epoch shows every track once: one of its windows, one of its comments, and its tags, all by chance.

    Tracks of HELD_FOLD are not learnt from; the loss on them chooses the epoch.
    """

    material: Material
    comments: Comments
    tags: dict[str, str]  # empty without tags
    sounds: Paths
    batch_size: int
    seed: int

    @property
    def weights(self) -> tuple[float, ...]:
        """How much comments and tags count in the loss."""
        return (COMMENT_WEIGHT, TAGS_WEIGHT) if self.tags else (COMMENT_WEIGHT,)

    def epoch(self, number: int) -> tuple[list[list[Example]], str]:
        """See `build.baselines.clap.lessons.Lessons`."""
        rng = np.random.default_rng([self.seed, number])
        examples = [self._example(track, rng) for track in rng.permutation(self.tracks(held=False))]
        batches = list(cut(examples, self.batch_size))
        return batches, f"{sum(map(len, batches))} tracks with a comment each"

    def progress(self, clap: Clap) -> float:
        """Minus the loss on the held-out tracks' first windows and first comments."""
        examples = [self._example(track, None) for track in self.tracks(held=True)]
        with torch.inference_mode():
            losses = [self._loss(clap, batch) for batch in cut(examples, self.batch_size)]
        return -float(np.mean(losses))

    def _loss(self, clap: Clap, batch: Sequence[Example]) -> float:
        heard = spectra(clap.extractor, [read_whole(example.sound)[: clap.window] for example in batch])
        return batch_loss(clap, heard, [example.texts for example in batch], self.weights)[0].item()

    def tracks(self, held: bool) -> list[str]:
        """Training tracks with sound and comments, in or out of HELD_FOLD."""
        train = self.material.split == "train"
        chosen = train & ((self.material.fold == HELD_FOLD) == held)
        tracks = np.array(self.material.songs)[chosen].tolist()
        return [track for track in tracks if track in self.sounds and self.comments.get(track)]

    def _example(self, track: str, rng: np.random.Generator | None) -> Example:
        comment = _one_of(self.comments[track], rng)
        texts = (comment, self.tags.get(track, "")) if self.tags else (comment,)
        return Example(track, _one_of(self.sounds[track], rng), texts)


def _one_of(items: Sequence[Item], rng: np.random.Generator | None) -> Item:
    return items[int(rng.integers(len(items))) if rng else 0]


def read_comments(folder: Path) -> tuple[Comments, dict[str, str]]:
    """Track -> its comments (in English where they are; those of ten words or more, if any), and track -> its tags.

    Raises InputError where the built folder has no comments.
    """
    comments: dict[str, dict[bool, list[str]]] = {}
    for path in sorted(folder.glob("annotations/*.parquet")):
        for row in pq.read_table(path).to_pylist():
            text = row["comment_en"] or row["comment_zh"]
            if text:
                comments.setdefault(str(row["id"]), {}).setdefault(row["short_comment"], []).append(text)
    if not comments:
        raise InputError(f"{folder}: has no comments; build it from a source with single annotations (MADB_data.csv)")
    kept = {track: by_length.get(False) or by_length[True] for track, by_length in comments.items()}
    return kept, _tags(folder)


def _tags(folder: Path) -> dict[str, str]:
    told = {}
    for path in sorted(folder.glob("scores/*.parquet")):
        for row in pq.read_table(path, columns=["id", "genre", "mood"]).to_pylist():
            parts = [f"{name}: {', '.join(row[name])}" for name in ("genre", "mood") if row[name]]
            if parts:
                told[str(row["id"])] = "; ".join(parts)
    return told


def adapt(options: TuneOptions, with_tags: bool, place: Place, out: Path, say: Say) -> Progress:
    """Adapt a CLAP model; `out` holds its checkpoints, the best among them. It is then an encoder for a head."""
    material = read_tracks(place.folder)
    comments, tags = read_comments(place.folder)
    clap = load_clap(options.model, place.device)
    stage = window_stage(clap.rate_hz, clap.window, WINDOWS)
    sounds = lay_out(stage, sound_groups(place.folder), place.cache, place.workers, place.dask)
    lessons = CommentLessons(material, comments, tags if with_tags else {}, sounds, options.batch_size, options.seed)
    for purpose, held in (("learn from", False), ("hold out", True)):
        if len(lessons.tracks(held)) < LEAST_TRACKS:
            raise InputError(
                f"{place.folder}: too few tracks to {purpose} have sound and comments, {LEAST_TRACKS} are needed; "
                "build it with more audio"
            )
    checkpoints = Checkpoints(out, options.identity("comments and tags" if with_tags else "comments"))
    return train(clap, lessons, options, checkpoints, say)
