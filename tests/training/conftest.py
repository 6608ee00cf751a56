"""A small built folder, made once and only read."""

import pytest

from tests.training.folder import write_folder


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    return write_folder(tmp_path_factory.mktemp("small") / "built")
