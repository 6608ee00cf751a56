"""A folder to write examples into."""

import pytest


@pytest.fixture(scope="session")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")
