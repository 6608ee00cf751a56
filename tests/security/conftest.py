"""One build of a source in which every text is hostile."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from build.hub.rebuild import open_build
from build.options import BuildOptions
from build.workspace import Workspace
from tests.security.source import write_hostile_source


@dataclass(frozen=True)
class HostileBuild:
    """The source, the built folder, the work folder, and the lines that were said."""

    source: Path
    out: Path
    work: Path
    said: list[str]


@pytest.fixture(scope="session")
def hostile(tmp_path_factory) -> HostileBuild:
    """A build of the hostile source; only read."""
    root = tmp_path_factory.mktemp("hostile")
    built = HostileBuild(write_hostile_source(root / "source"), root / "globalmood", root / "work", [])
    options = BuildOptions(source=str(built.source), out=built.out, workers=1)
    open_build(options, Workspace(built.work), built.said.append).run()
    return built
