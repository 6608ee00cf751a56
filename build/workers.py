"""Worker processes that outlive a disaster: a task that crashes, hangs or runs out of memory costs itself only."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as TaskTimeoutError
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

from pebble import ProcessExpired, ProcessPool

from build.errors import InputError, RunError

IN_FLIGHT = 16  # jobs a worker that are handed out at a time: no worker waits, and no list of all jobs is held

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Failure:
    """What became of a task that gave no result: `kind` is timeout, crash or error."""

    kind: str
    message: str


class Workers(Protocol):
    """Somewhere to run one function on many jobs: processes here, or a cluster."""

    def run_each(
        self, function: Callable[[Job], Result], jobs: Iterable[Job], timeout_s: float
    ) -> Iterator[tuple[Job, Result | Failure]]:
        """Yield every job with its result or Failure, in the order in which they end. A RunError ends the run.

        Jobs are taken from their iterable as there is work to hand out.
        """


class InProcess:
    """No other process: whatever a job raises ends the run, and there is no time limit."""

    def run_each(
        self, function: Callable[[Job], Result], jobs: Iterable[Job], timeout_s: float
    ) -> Iterator[tuple[Job, Result | Failure]]:
        """See `Workers`."""
        for job in jobs:
            yield job, function(job)


class _Processes:
    def __init__(self, pool: ProcessPool, in_flight: int) -> None:
        self._pool, self._in_flight = pool, in_flight

    def run_each(
        self, function: Callable[[Job], Result], jobs: Iterable[Job], timeout_s: float
    ) -> Iterator[tuple[Job, Result | Failure]]:
        def submit(job: Job) -> Future[Result]:
            return self._pool.schedule(function, [job], timeout=timeout_s)

        for job, future in in_turn(submit, jobs, self._in_flight):
            ended: Result | Failure = outcome(future, timeout_s)
            yield job, ended


def in_turn(
    submit: Callable[[Job], Future[Result]], jobs: Iterable[Job], in_flight: int
) -> Iterator[tuple[Job, Future[Result]]]:
    """Submit `jobs`, no more than `in_flight` at a time, and yield each with its future once that is done."""
    left, pending = iter(jobs), dict[Future[Result], Job]()
    while True:
        for job in islice(left, in_flight - len(pending)):
            pending[submit(job)] = job
        if not pending:
            return
        for future in wait(pending, return_when=FIRST_COMPLETED).done:
            yield pending.pop(future), future


def outcome(future: Future[Result], timeout_s: float) -> Result | Failure:
    """The result of a finished task, or what became of it; a RunError is raised: no task can go on."""
    try:
        return future.result()
    except TaskTimeoutError:
        return Failure("timeout", f"took longer than {timeout_s:g} s")
    except ProcessExpired as error:
        return Failure("crash", f"the worker process died (exit code {error.exitcode})")
    except RunError:
        raise  # it is the run that cannot go on, whatever the task
    except Exception as error:  # noqa: BLE001 - whatever a task raises costs that task, not the run
        return Failure("error", f"{type(error).__name__}: {error}")


def _one_thread() -> None:
    """As many threads as processes: numerical libraries would start one for every core. They read this when loaded."""
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")


@contextmanager
def pool(workers: int) -> Iterator[Workers]:
    """Yield `workers` processes; they end with the block, at once if it ends in an exception.

    They start from a server that has loaded nothing of the caller's. Raises InputError below one worker.
    """
    if workers < 1:
        raise InputError(f"--workers {workers}: at least 1 is needed")
    kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(kind)
    processes = ProcessPool(max_workers=workers, initializer=_one_thread, context=context)
    try:
        yield _Processes(processes, IN_FLIGHT * workers)
        processes.close()
    except BaseException:
        processes.stop()
        raise
    finally:
        processes.join()
