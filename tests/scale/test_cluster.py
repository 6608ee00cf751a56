"""`build.cluster`: what is refused before work is handed out, and what becomes of tasks and of a lost scheduler."""

import threading
from concurrent.futures import Future

import pytest

from build import cluster
from build.cluster import versions
from build.errors import RunError
from build.workers import in_turn
from tests.scale.conftest import dask_cluster


class Client:
    """Stands in for Dask's client: one worker, which answers with `found` or raises it."""

    def __init__(self, found):
        self.found = found

    def run(self, function):
        if isinstance(self.found, Exception):
            raise self.found
        return {"tcp://worker": self.found}


def shout(job: str) -> str:
    if job == "hang":
        threading.Event().wait()
    if job == "raise":
        raise LookupError("no such thing")
    return job.upper()


def test_workers_must_have_the_versions_that_bytes_depend_on():
    cluster._require_same(Client(versions()))
    other = versions() | {"soxr": "0.0"}
    with pytest.raises(RunError, match=r"tcp://worker has soxr 0.0, not .*install the same versions there"):
        cluster._require_same(Client(other))


def test_workers_must_have_this_project():
    with pytest.raises(RunError, match=r"a Dask worker lacks this project or what it needs .No module named 'build'."):
        cluster._require_same(Client(ModuleNotFoundError("No module named 'build'")))


def test_a_task_ends_with_its_result_its_error_or_its_time():
    assert cluster._in_time(shout, "a", timeout_s=10) == "A"
    with pytest.raises(LookupError, match="no such thing"):
        cluster._in_time(shout, "raise", timeout_s=10)
    with pytest.raises(TimeoutError):
        cluster._in_time(shout, "hang", timeout_s=0.01)


def test_jobs_are_taken_as_there_is_room_for_them():
    taken, most = [], 3
    futures = []

    def submit(job):
        futures.append(Future())
        futures[-1].set_result(job)
        return futures[-1]

    def jobs():
        for job in range(20):
            taken.append(job)
            yield job

    seen = []
    for job, future in in_turn(submit, jobs(), most):
        seen.append(future.result())
        assert len(taken) - len(seen) <= most
        assert future.result() == job
    assert sorted(seen) == list(range(20))


def test_a_lost_scheduler_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_S", 2.0)
    with dask_cluster(tmp_path, n_workers=1) as there, cluster.cluster(there.address) as workers:
        outcomes = workers.run_each(shout, ["a", "hang"], timeout_s=600)
        assert next(outcomes) == ("a", "A")
        there.scheduler.kill()
        with pytest.raises(RunError, match="the Dask scheduler is gone"):
            list(outcomes)
