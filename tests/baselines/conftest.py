"""Folders and models that the tests of the baselines share, made once a process and only read."""

import pytest

pytest.importorskip("torch", reason="baselines need requirements-baselines.txt")
pytest.importorskip("transformers", reason="baselines need requirements-baselines.txt")

import torch

from tests.baselines import tiny
from tests.baselines.made import with_sound


@pytest.fixture(autouse=True)
def _one_thread():
    """Sums in the same order whatever else the machine does."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def songs(tmp_path_factory):
    """A built GlobalMood folder with sound."""
    return with_sound(tmp_path_factory.mktemp("songs"))


@pytest.fixture(scope="session")
def clap_folder(tmp_path_factory):
    """Weights of a tiny CLAP."""
    return tiny.clap(tmp_path_factory.mktemp("clap"))
