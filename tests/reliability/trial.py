"""One build in a folder of its own, and what can be asked about it."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from build.files import sha256_of
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
