"""Checkpoints of a training run: the last one to go on from, and the best one to use."""

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import ClapModel

from build.baselines.clap.model import Clap, save_clap
from build.errors import InputError
from build.files import write_bytes

LAST, BEST, PROGRESS, STATE = "last", "best", "progress.json", "optimizer.pt"


@dataclass(frozen=True)
class Progress:
    """The score of every epoch so far, on songs that were not learnt from."""

    scores: tuple[float, ...] = ()

    @property
    def best(self) -> int | None:
        """The number, from 0, of the best epoch; the first of equals, and NaN is worst. None before the first."""
        known = [-math.inf if math.isnan(score) else score for score in self.scores]
        return known.index(max(known)) if known else None

    def after(self, score: float) -> "Progress":
        """With one more epoch."""
        return Progress((*self.scores, score))


@dataclass(frozen=True)
class Checkpoints:
    """A folder with `last/` (model, optimizer and progress) and `best/` (model); `identity` says of which run."""

    folder: Path
    identity: dict[str, Any]

    @property
    def best(self) -> Path:
        """The best model so far, in a folder that `load_clap` reads."""
        return self.folder / BEST

    def resume(self, clap: Clap, optimizer: torch.optim.Optimizer) -> Progress:
        """Put model and optimizer in the state of the last checkpoint, if there is one, and return its progress.

        Raises InputError where the checkpoint is of a run with other options.
        """
        mended = self._mended()
        if mended is None:
            return Progress()
        kept = json.loads((mended / PROGRESS).read_text(encoding="utf-8"))
        other = sorted(
            key for key in kept["identity"] | self.identity if kept["identity"].get(key) != self.identity.get(key)
        )
        if other:
            raise InputError(f"{self.folder}: was trained with other options ({', '.join(other)}); name another --out")
        clap.model.load_state_dict(ClapModel.from_pretrained(mended).state_dict())
        optimizer.load_state_dict(torch.load(mended / STATE, map_location=clap.device, weights_only=True))
        return Progress(tuple(kept["scores"]))

    def keep(self, clap: Clap, optimizer: torch.optim.Optimizer, progress: Progress) -> None:
        """Keep the state after an epoch; whole or not at all."""
        new = self.folder / f".{LAST}.new"
        shutil.rmtree(new, ignore_errors=True)
        save_clap(clap, new)
        torch.save(optimizer.state_dict(), new / STATE)
        if progress.best == len(progress.scores) - 1:
            best = self.folder / f".{BEST}.new"
            shutil.copytree(new, best, ignore=shutil.ignore_patterns(STATE), dirs_exist_ok=True)
            self._replace(BEST, best)
        write_bytes(new / PROGRESS, json.dumps({"identity": self.identity, "scores": progress.scores}).encode())
        self._replace(LAST, new)

    def _replace(self, name: str, new: Path) -> None:
        old = self.folder / f".{name}.old"
        shutil.rmtree(old, ignore_errors=True)
        if (self.folder / name).exists():
            (self.folder / name).rename(old)
        new.rename(self.folder / name)
        shutil.rmtree(old, ignore_errors=True)

    def _mended(self) -> Path | None:
        """The last checkpoint, also where a crash left it between its two names."""
        candidates = [self.folder / name for name in (f".{LAST}.new", LAST, f".{LAST}.old")]
        return next((path for path in candidates if (path / PROGRESS).is_file()), None)
