"""Worker processes that outlive a disaster: a task that crashes, hangs or runs out of memory costs itself only."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, as_completed
from concurrent.futures import TimeoutError as TaskTimeoutError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pebble import ProcessExpired, ProcessPool

from build.errors import InputError, RunError

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
        """Yield every job with its result or Failure, in the order in which they end. A RunError ends the run."""


class _Processes:
    def __init__(self, pool: ProcessPool) -> None:
        self._pool = pool

    def run_each(
        self, function: Callable[[Job], Result], jobs: Iterable[Job], timeout_s: float
    ) -> Iterator[tuple[Job, Result | Failure]]:
        futures: dict[Future[Result], Job] = {
            self._pool.schedule(function, [job], timeout=timeout_s): job for job in jobs
        }
        for future in as_completed(futures):
            outcome: Result | Failure = _outcome(future, timeout_s)
            yield futures[future], outcome


def _outcome(future: "Future[Result]", timeout_s: float) -> Result | Failure:
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
        yield _Processes(processes)
        processes.close()
    except BaseException:
        processes.stop()
        raise
    finally:
        processes.join()
