"""A Dask cluster in place of processes on this machine.

Tasks carry paths, parameters and small rows; workers read and write the storage themselves, so no sound passes the
scheduler. Dask gives the tasks of a lost worker to others.
"""

import importlib
import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from build.dataset.manifest import PACKAGES
from build.errors import InputError, RunError
from build.workers import Failure, Job, Result, Workers, in_turn, outcome, pool

if TYPE_CHECKING:
    import distributed

REQUIREMENTS = "requirements-dask.txt"
IN_FLIGHT = 512  # tasks on the cluster at a time
CONNECT_S = 10.0
_LOCAL = re.compile(r"local:([1-9]\d*)")
_SCHEDULER = re.compile(r"(tcp|tls)://[^/\s]+:\d+")


def check(address: str) -> None:
    """Raise InputError unless `address` is `tcp://HOST:PORT` or `local:N` and the package `distributed` is there."""
    if not _LOCAL.fullmatch(address) and not _SCHEDULER.fullmatch(address):
        raise InputError(f"--dask {address}: wanted tcp://HOST:PORT of a scheduler, or local:N worker processes here")
    try:
        importlib.import_module("distributed")
    except ImportError as error:
        raise InputError(
            f"--dask needs the package `distributed` ({error}): python -m pip install -r {REQUIREMENTS}"
        ) from error


def workers_at(address: str | None, count: int) -> AbstractContextManager[Workers]:
    """A cluster at `address`, or else `count` processes of this machine (`build.workers.pool`)."""
    return cluster(address) if address else pool(count)


@contextmanager
def cluster(address: str) -> Iterator[Workers]:
    """Yield the workers of the scheduler at `address`, or N processes of this machine for `local:N`.

    Raises InputError as `check` does, and RunError where no scheduler answers or a worker has other versions.
    """
    check(address)
    with _client(address) as client:
        _require_same(client)
        executor = client.get_executor()
        try:
            yield _Cluster(client, executor)
        finally:
            executor.shutdown(wait=False)


class _Cluster:
    def __init__(self, client: "distributed.Client", executor: Executor) -> None:
        self._client, self._executor = client, executor

    def run_each(
        self, function: Callable[[Job], Result], jobs: Iterable[Job], timeout_s: float
    ) -> Iterator[tuple[Job, Result | Failure]]:
        """See `build.workers.Workers`. Raises RunError, too, where the scheduler is lost."""

        def submit(job: Job) -> Future[Result]:
            return self._executor.submit(_in_time, function, job, timeout_s)

        for job, future in in_turn(submit, jobs, IN_FLIGHT):
            ended: Result | Failure = outcome(future, timeout_s)
            if isinstance(ended, Failure) and self._client.status != "running":
                raise RunError("the Dask scheduler is gone: start it, then the same command goes on from here")
            yield job, ended


def _in_time(function: Callable[[Job], Result], job: Job, timeout_s: float) -> Result:
    """What a worker runs: `function`, given up after `timeout_s`, for Dask has no limit of time for a task."""
    future: Future[Result] = Future()

    def work() -> None:
        try:
            future.set_result(function(job))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future.result(timeout_s)


@contextmanager
def _client(address: str) -> Iterator["distributed.Client"]:
    import distributed

    local = _LOCAL.fullmatch(address)
    try:
        if local:
            workers = {"n_workers": int(local[1]), "threads_per_worker": 1, "processes": True}
            here = {"host": "127.0.0.1", "dashboard_address": None, "silence_logs": logging.ERROR}
            client = distributed.Client(**workers, **here)
        else:
            client = distributed.Client(address, timeout=CONNECT_S)
    except OSError as error:
        raise RunError(f"--dask {address}: no scheduler answers there ({error})") from error
    with client:
        yield client


def versions() -> dict[str, str]:
    """Versions of the packages that bytes depend on."""
    return {name: version(name) for name in PACKAGES}


def _require_same(client: "distributed.Client") -> None:
    """Workers that are there must have this code and these versions: others would make other bytes."""
    try:
        found: dict[str, Any] = client.run(versions)
    except ImportError as error:
        raise RunError(
            f"a Dask worker lacks this project or what it needs ({error}): start it where both are"
        ) from error
    wanted = versions()
    for worker, theirs in found.items():
        if other := [f"{name} {theirs[name]}, not {wanted[name]}" for name in wanted if theirs[name] != wanted[name]]:
            raise RunError(f"the Dask worker {worker} has {'; '.join(other)}: install the same versions there")
