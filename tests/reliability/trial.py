"""One build in a folder of its own, and what can be asked about it."""

import csv
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from build.files import sha256_of
from tests.hub.source import LENGTH_S, RATE_HZ
from tests.reliability.builds import Builds, Done


@dataclass(frozen=True)
class Trial:
    """The build of `source` into `folder`/globalmood by way of `folder`/work."""

    folder: Path
    source: Path | str

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def out(self) -> Path:
        return self.folder / "globalmood"

    def run(self, server: Builds, *options: object, **how: object) -> Done:
        return server.run(self.folder, *self.command(*options), **how)

    def run_and_count(self, server: Builds, *options: object) -> tuple[Done, dict[str, int]]:
        """Run, and count the tracks that were fetched and the excerpts that were cut by it."""
        had, cut = self._had(), self._cut()
        done = self.run(server, *options)
        assert done.returncode == 0, done.output
        return done, {"fetched": self._had() - had, "cut": len(self._cut() - cut)}

    def _had(self) -> int:
        """How often a track was had, ever: rows of the journal."""
        with closing(sqlite3.connect(self.work / "journal.sqlite")) as journal:
            return int(journal.execute("SELECT count(*) FROM attempts WHERE status = 'ok'").fetchone()[0])

    def _cut(self) -> set[tuple[str, int]]:
        """Every excerpt, and when it was written: one that is cut again counts as another."""
        return {(path.name, path.stat().st_mtime_ns) for path in (self.work / "clips").glob("*.json")}

    def start(self, server: Builds, *options: object, **how: object) -> int:
        return server.start(self.folder, *self.command(*options), **how)

    def command(self, *options: object) -> list[object]:
        return ["run", "--source", self.source, "--work", self.work, "--out", self.out, "--workers", 1, *options]

    def replaces(self, earlier: Path) -> None:
        """Let the build find `earlier`, which it will replace."""
        shutil.copytree(earlier, self.out)

    def has_worked_like(self, other: "Trial") -> None:
        """Take over the caches of another build."""
        shutil.copytree(other.work, self.work)

    def leftovers(self) -> list[str]:
        """What unfinished runs have left, beside the built folder and in the caches."""
        beside = {path.name for path in self.folder.iterdir()} - {"work", "globalmood", ".globalmood.lock", "build.log"}
        return sorted(beside) + [path.name for path in self.work.rglob("*.part*")]

    def remove(self) -> None:
        shutil.rmtree(self.folder)


def content(folder: Path) -> dict[str, str]:
    """Path -> SHA-256 of every file below a folder."""
    return {str(path.relative_to(folder)): sha256_of(path) for path in folder.rglob("*") if path.is_file()}


def is_whole(out: Path) -> bool:
    """Whether a built folder holds exactly what its manifest says."""
    files = json.loads((out / "MANIFEST.json").read_bytes())["files"]
    found = content(out)
    found.pop("MANIFEST.json")
    return found == {name: entry["sha256"] for name, entry in files.items()}


def write_sound(path: Path, seed: int) -> None:
    """Write a track of noise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.random.default_rng(seed).normal(0, 0.05, (int(LENGTH_S * RATE_HZ), 2)), RATE_HZ)


def edit(path: Path, change: Callable[[list[list[str]]], list[list[str]]]) -> None:
    """Apply `change` to the rows of a CSV file, of which the header is the first."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = change(list(csv.reader(file)))
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
