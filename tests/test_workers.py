"""Worker processes: what goes wrong in a task costs that task only."""

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from build.errors import InputError, RunError
from build.workers import Failure, pool


def behave(job: str) -> str:
    if job == "exit":
        os._exit(3)
    if job == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if job == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if job == "hang":
        threading.Event().wait()
    if job == "no room":
        raise RunError("no room in here")
    if job == "raise":
        raise LookupError("no such thing")
    return job.upper()


def after_making_excerpts(_: int) -> tuple[set[str], str, int]:
    """The modules that are loaded, the threads of numerical libraries, and the bytes of memory in use."""
    from build.audio.clip import make_clip

    assert make_clip
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return set(sys.modules), os.environ["OPENBLAS_NUM_THREADS"], pages * os.sysconf("SC_PAGESIZE")


def test_a_task_that_dies_hangs_or_raises_costs_itself_only():
    jobs = ["a", "exit", "b", "segfault", "c", "hang", "d", "killed", "e", "raise", "f"]
    with pool(2) as workers:
        outcomes = dict(workers.run_each(behave, jobs, timeout_s=2))
    assert {job: outcome for job, outcome in outcomes.items() if isinstance(outcome, str)} == {
        name: name.upper() for name in "abcdef"
    }
    assert outcomes["hang"] == Failure("timeout", "took longer than 2 s")
    assert outcomes["raise"] == Failure("error", "LookupError: no such thing")
    for job, code in [("exit", 3), ("segfault", -11), ("killed", -9)]:
        assert outcomes[job].kind == "crash"
        assert str(abs(code)) in outcomes[job].message


def test_a_task_that_finds_the_run_impossible_ends_it():
    with pytest.raises(RunError, match="no room in here"), pool(1) as workers:
        list(workers.run_each(behave, ["a", "no room", "hang"], timeout_s=600))


def test_no_jobs_give_no_outcomes():
    with pool(1) as workers:
        assert list(workers.run_each(behave, [], timeout_s=1)) == []


def test_workers_end_when_the_caller_fails():
    with pytest.raises(RuntimeError, match="enough"), pool(1) as workers:
        for _ in workers.run_each(behave, ["a", "hang"], timeout_s=600):
            raise RuntimeError("enough")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_workers_are_lean_and_have_one_thread():
    with pool(1) as workers:
        [(_, (modules, threads, size))] = workers.run_each(after_making_excerpts, [0], timeout_s=60)
    assert not modules & {"datasets", "pandas", "torch", "matplotlib", "typer"}
    assert threads == "1"
    assert size < 300e6


def test_less_than_one_worker_is_refused():
    with pytest.raises(InputError, match="--workers 0: at least 1 is needed"), pool(0):
        pass
