"""`--dask`: the same bytes on a cluster of real processes, one of which is killed on the way."""

import pickle
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from build.audio import clips
from build.baselines.floor import STAGE
from build.baselines.sounds import sound_groups
from build.baselines.stage import run_stage
from build.errors import InputError, RunError
from build.options import BuildOptions
from build.pipeline import Build
from build.workers import InProcess
from build.workspace import Workspace
from tests.reliability.trial import content
from tests.scale.conftest import build, dask_cluster


def test_a_killed_worker_changes_nothing_but_time(source, local, tmp_path, monkeypatch):
    with dask_cluster(tmp_path / "scratch", n_workers=2) as cluster:
        victim, survivor = cluster.workers
        done = []

        @contextmanager
        def kill_one_on_the_way(label, total):
            def advance(ok):
                done.append(ok)
                if len(done) == 3:
                    victim.kill()

            yield advance

        monkeypatch.setattr(clips, "progress", kill_one_on_the_way)
        build(source, tmp_path / "work", tmp_path / "globalmood", dask=cluster.address)
        assert (victim.wait(), survivor.poll()) == (-9, None)
    assert content(tmp_path / "globalmood") == content(local)


def test_no_sound_passes_the_scheduler(source, tmp_path, monkeypatch):
    passed, tasks = [], set()

    class Watched(InProcess):
        def run_each(self, function, jobs, timeout_s):
            for job, outcome in super().run_each(function, jobs, timeout_s):
                tasks.add(function.__name__)
                passed.extend((len(pickle.dumps(job)), len(pickle.dumps(outcome))))
                yield job, outcome

    @contextmanager
    def watched(_):
        yield Watched()

    monkeypatch.setattr("build.cluster.cluster", watched)
    build(source, tmp_path / "work", tmp_path / "globalmood", dask="local:1")
    payload = min(path.stat().st_size for path in (tmp_path / "work" / "clips").glob("*.flac"))
    assert tasks == {"make_clip", "write_shard"}
    assert max(passed) < payload / 10


def test_without_the_package_it_is_named_and_nothing_runs(run_build, tmp_path):
    (tmp_path / "distributed.py").write_text("raise ImportError('there is none')")
    where = ("--work", tmp_path / "work", "--out", tmp_path / "out")
    done = run_build("run", "--dask", "local:2", *where, check=False, PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "--dask needs the package `distributed`" in done.stderr
    assert "pip install -r requirements-dask.txt" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("address", ["localhost:8786", "local:0", "local", "tcp://", "http://x:1"])
def test_another_address_is_refused(address, tmp_path):
    with pytest.raises(InputError, match="wanted tcp://HOST:PORT of a scheduler, or local:N"):
        Build(BuildOptions(dask=address), Workspace(tmp_path), print)


def test_a_scheduler_that_does_not_answer_ends_the_run(source, tmp_path, monkeypatch):
    monkeypatch.setattr("build.cluster.CONNECT_S", 0.5)
    with pytest.raises(RunError, match=r"--dask tcp://127.0.0.1:1: no scheduler answers there"):
        build(source, tmp_path / "work", tmp_path / "globalmood", dask="tcp://127.0.0.1:1")


def test_the_sound_of_baselines_is_worked_on_by_a_cluster(local, tmp_path, monkeypatch):
    monkeypatch.chdir(local.parent)  # workers are elsewhere, and are given whole paths
    groups = sound_groups(Path(local.name))[:1]
    with dask_cluster(tmp_path / "scratch", n_workers=1) as cluster:
        there = run_stage(STAGE, groups, tmp_path / "there", 1, cluster.address)
    here = run_stage(STAGE, groups, tmp_path / "here", 1)
    assert there["song_id"].equals(here["song_id"])
    np.testing.assert_allclose(np.stack(there["features"].to_pylist()), np.stack(here["features"].to_pylist()), 1e-4)
