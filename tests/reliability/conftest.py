"""A server of builds, a small source, and what an undisturbed build makes of it."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hub.source import write_source
from tests.reliability.builds import builds
from tests.reliability.trial import Trial, content

SONGS = 4  # three with sound, and one whose file is missing


@pytest.fixture(scope="session")
def server():
    with builds() as server:
        yield server


@pytest.fixture(scope="session")
def source(tmp_path_factory) -> Path:
    """A source of a few songs; only read."""
    return write_source(tmp_path_factory.mktemp("source") / "source", SONGS)


@dataclass(frozen=True)
class Undisturbed(Trial):
    """A finished build, and how many file operations it took."""

    operations: int = 0


@pytest.fixture(scope="session")
def undisturbed(server, source, tmp_path_factory) -> Undisturbed:
    """A finished build of the source; only read."""
    trial = Trial(tmp_path_factory.mktemp("undisturbed"), source)
    done = trial.run(server)
    assert done.returncode == 0, done.output
    return Undisturbed(trial.folder, source, done.operations)


@pytest.fixture(scope="session")
def earlier(server, source, tmp_path_factory) -> Path:
    """A built folder of the same source with other content; only read."""
    trial = Trial(tmp_path_factory.mktemp("earlier"), source)
    assert trial.run(server, "--no-audio").returncode == 0
    return trial.out


@pytest.fixture
def trial(tmp_path, source) -> Trial:
    """A build to be disturbed."""
    return Trial(tmp_path, source)


@pytest.fixture
def own(undisturbed, tmp_path) -> Trial:
    """A finished build whose source may be changed."""
    trial = Trial(tmp_path / "own", shutil.copytree(undisturbed.source, tmp_path / "source"))
    trial.has_worked_like(undisturbed)
    trial.replaces(undisturbed.out)
    return trial


@pytest.fixture
def anew(server, tmp_path):
    """What a build of a source from nothing gives."""

    def build(source: Path) -> dict[str, str]:
        trial = Trial(tmp_path / "anew", source)
        done = trial.run(server)
        assert done.returncode == 0, done.output
        return content(trial.out)

    return build
