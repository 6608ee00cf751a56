"""A small built dataset, a Hub on this machine, and clients in this process that know no other."""

import shutil
from pathlib import Path

import huggingface_hub
import pytest

from build.hub.rebuild import open_build
from build.hub.withhold import withhold
from build.options import BuildOptions
from build.workspace import Workspace
from tests.hub.server import TOKEN, serve
from tests.hub.source import write_source


@pytest.fixture(scope="session")
def source(tmp_path_factory) -> Path:
    return write_source(tmp_path_factory.mktemp("source"), n_songs=9)


@pytest.fixture(scope="session")
def built(source, tmp_path_factory) -> Path:
    """The built folder of `source`; its workspace lies beside it. Only read by tests."""
    root = tmp_path_factory.mktemp("built")
    options = BuildOptions(source=str(source), out=root / "globalmood", workers=1)
    open_build(options, Workspace(root / "work"), lambda line: None).run()
    return options.out


@pytest.fixture(scope="session")
def silent(built, tmp_path_factory) -> Path:
    """The same without audio, as it is published. Only read by tests."""
    out = tmp_path_factory.mktemp("silent") / "globalmood"
    withhold(built, out)
    return out


@pytest.fixture
def copy(built, tmp_path) -> Path:
    """A copy of `built` that a test may damage."""
    return Path(shutil.copytree(built, tmp_path / "copy"))


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A Hub, and huggingface_hub in this process set to it, with a token and an empty cache."""
    constants = huggingface_hub.constants
    with serve() as hub:
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        address = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace("https://huggingface.co", hub.url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        yield hub
