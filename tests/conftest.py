"""What tests share: no network but this machine, the real data where it is at hand, and one build of the sample."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

import pytest
from filelock import FileLock
from pytest_socket import socket_allow_hosts

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = REPOSITORY.parent / "shared" / "data"
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}

if find_spec("hypothesis"):  # which the environments of the contract tests do without
    from hypothesis import settings

    settings.register_profile("repeatable", derandomize=True, deadline=None)  # as slow as the machine may be
    settings.load_profile("repeatable")


def pytest_runtest_setup():
    """Block sockets to anything but this machine."""
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public files to test with; users do not have them."""
    if not SHARED.is_dir():
        pytest.skip("the real files to test with are not on this machine")
    return SHARED


@pytest.fixture(scope="session")
def run_build():
    """Run `python -m build` from the repository's root; with `check`, the test fails where the command does."""

    def run(*arguments, check: bool = True, **environment: str) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [sys.executable, "-m", "build", *map(str, arguments)],
            cwd=REPOSITORY,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def sample(run_build) -> Path:
    """The built folder of the whole embedded sample, made once a test run and only read by tests."""
    work = REPOSITORY / "work" / "tests"
    work.mkdir(parents=True, exist_ok=True)
    run_id = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid4().hex
    stamp, out = work / "sample-built-by", work / "globalmood"
    with FileLock(work / "sample.lock"):
        if not (stamp.is_file() and stamp.read_text() == run_id):
            run_build("run", "--work", work, "--out", out)
            stamp.write_text(run_id)
    return out


@pytest.fixture(scope="session")
def sample_source(sample) -> Path:
    """The source folder of the embedded sample, with the truth beside it."""
    return sample.parent / "sample" / "seed-0"
