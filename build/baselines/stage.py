"""Work that repeats per song: in worker processes, a row group at a time, kept in the workspace and resumed.

The result of a row group is a Parquet file, named by everything that it depends on: what is done, with what settings,
to which sounds. A run that was killed does only what is missing; the result does not depend on the number of workers.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from build.baselines.sounds import Group
from build.cluster import workers_at
from build.errors import RunError
from build.files import write_table
from build.progress import progress
from build.workers import Failure

TIMEOUT_S = 1800.0  # for one row group of up to eight songs, on a busy machine
Settings = Mapping[str, Any]


class Job(NamedTuple):
    """A row group, the settings of what is done to it, and the file that keeps the result."""

    group: Group
    settings: Settings
    result: Path

    @property
    def folder(self) -> Path:
        """Where work may put files that its table names, relative to the folder of the result."""
        return self.result.with_suffix("")


class Stage(NamedTuple):
    """`work` makes a table from a Job, in a process of its own; `name` and `settings` say what it does."""

    name: str
    work: Callable[[Job], pa.Table]
    settings: Settings


def run_stage(stage: Stage, groups: Sequence[Group], cache: Path, workers: int, dask: str | None = None) -> pa.Table:
    """The tables of all `groups`, one after the other, by `workers` processes here or by the cluster at `dask`.

    Raises RunError naming the first row group that failed; those that succeeded are kept.
    """
    jobs = [_job(stage, group, cache) for group in groups]
    missing = [job for job in jobs if not job.result.is_file()]
    failures: list[str] = []
    if missing:
        with progress(stage.name, len(missing)) as advance, workers_at(dask, workers) as processes:
            for job, outcome in processes.run_each(stage.work, missing, TIMEOUT_S):
                if isinstance(outcome, Failure):
                    failures.append(f"{job.group.path}, row group {job.group.number}: {outcome.message}")
                else:
                    write_table(job.result, outcome)
                advance(not isinstance(outcome, Failure))
    if failures:
        raise RunError(f"{stage.name}: {len(failures)} row groups failed; the first: {sorted(failures)[0]}")
    return pa.concat_tables(pq.read_table(job.result) for job in jobs)


def _job(stage: Stage, group: Group, cache: Path) -> Job:
    content = json.dumps([stage.name, stage.settings, group.content], sort_keys=True)
    name = hashlib.sha256(content.encode()).hexdigest()[:24]
    here = group._replace(path=group.path.absolute())  # workers of a cluster may be in another folder
    return Job(here, stage.settings, cache.absolute() / stage.name / f"{name}.parquet")
