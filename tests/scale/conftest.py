"""A small source, what a build on this machine makes of it, and a Dask cluster of real processes."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from build.options import BuildOptions
from build.pipeline import Build
from build.workspace import Workspace
from tests.conftest import REPOSITORY
from tests.hub.source import write_source

SONGS = 8


@pytest.fixture(scope="session")
def source(tmp_path_factory) -> Path:
    """A source of a few songs; only read."""
    return write_source(tmp_path_factory.mktemp("source") / "source", SONGS)


@pytest.fixture(scope="session")
def local(source, tmp_path_factory) -> Path:
    """What a build on this machine makes of it; only read."""
    folder = tmp_path_factory.mktemp("local")
    build(source, folder, folder / "globalmood", workers=1)
    return folder / "globalmood"


def build(source: Path | str, work: Path | Workspace, out: Path, **options) -> None:
    """A whole build, but for the figures of its card, which take most of the time and are the same everywhere."""
    workspace = work if isinstance(work, Workspace) else Workspace(work)
    with mock.patch("build.dataset.write.card_figures", return_value=[]):
        Build(BuildOptions(str(source), out, **options), workspace, lambda line: None).run()


@dataclass
class Cluster:
    """A scheduler and its workers, processes of their own."""

    address: str
    scheduler: subprocess.Popen
    workers: list[subprocess.Popen]


@contextmanager
def dask_cluster(folder: Path, n_workers: int) -> Iterator[Cluster]:
    """A scheduler on 127.0.0.1 and workers without nannies, so that a killed one stays dead."""
    programs = []

    def start(name: str, *arguments: str) -> subprocess.Popen:
        command = [sys.executable, "-m", f"distributed.cli.dask_{name}", "--host", "127.0.0.1", "--no-dashboard"]
        programs.append(
            subprocess.Popen(
                [*command, *arguments], cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
        )
        return programs[-1]

    try:
        scheduler = start("scheduler", "--port", "0")
        address = said(scheduler, r"Scheduler at:\s+(tcp://\S+)")
        options = ("--no-nanny", "--nthreads", "1", "--local-directory", str(folder))
        workers = [start("worker", address, *options) for _ in range(n_workers)]
        for worker in workers:
            said(worker, r"(Registered) to")
        yield Cluster(address, scheduler, workers)
    finally:
        for program in programs:
            program.kill()
            program.communicate()


def said(program: subprocess.Popen, pattern: str) -> str:
    """Wait until a program has said something; the part of it that is asked for."""
    for line in program.stderr:
        if found := re.search(pattern, line):
            return found[1]
    raise AssertionError(f"the program ended without saying {pattern}")
