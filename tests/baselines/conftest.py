"""Folders and models that the tests of the baselines share, made once a process and only read."""

import contextlib

import pytest

pytest.importorskip("torch", reason="baselines need requirements-baselines.txt")
pytest.importorskip("transformers", reason="baselines need requirements-baselines.txt")

import torch
from typer.testing import CliRunner

import build.cli.baseline
import build.cli.score  # noqa: F401 - registers the verb
from build.baselines import stage
from build.cli import app
from tests.baselines import made, tiny
from tests.baselines.here import Here


@pytest.fixture(autouse=True)
def _one_thread():
    """Sums in the same order whatever else the machine does."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def songs(tmp_path_factory):
    """A built GlobalMood folder with sound."""
    return made.with_sound(tmp_path_factory.mktemp("songs"))


@pytest.fixture(scope="session")
def tracks(tmp_path_factory):
    """A built MADB folder with sound."""
    return made.tracks_with_sound(tmp_path_factory.mktemp("tracks"))


@pytest.fixture(scope="session")
def part_of_sample(sample, tmp_path_factory):
    """The embedded sample with a few of its songs, all with sound."""
    return made.part_of(sample, tmp_path_factory.mktemp("part") / "globalmood")


@pytest.fixture(scope="session")
def clap_folder(tmp_path_factory):
    """Weights of a tiny CLAP."""
    return tiny.clap(tmp_path_factory.mktemp("clap"))


@pytest.fixture
def here(monkeypatch):
    """Stages run in this process."""
    monkeypatch.setattr(stage, "workers_at", lambda dask, workers: contextlib.nullcontext(Here()))


@pytest.fixture
def command(here, tmp_path):
    """Run a command in this process, with a work folder of the test, if not told another; return what it says."""

    def run(*words: object) -> str:
        work = ["--work", tmp_path / "work"] if words[0] == "baseline" and "--work" not in words else []
        done = CliRunner().invoke(app, [*map(str, [*words, *work])], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return run
