"""Two builds at once on one work folder or one built folder: the second refuses and names the first."""

import os
import signal

import pytest

from build import lock
from build.errors import RunError
from build.options import BuildOptions
from build.pipeline import Build
from build.workspace import Workspace
from tests.reliability.builds import Blow
from tests.reliability.trial import Trial, content

VERBS = ("songs", "fetch", "excerpt", "terms", "ratings", "shards")


def test_the_second_refuses_and_the_first_is_not_disturbed(server, undisturbed, trial, tmp_path):
    """The first is held up among its excerpts."""
    pid = trial.start(server, blow=Blow(1, "open", "/clips/", signal=signal.SIGSTOP))
    server.await_blow()
    try:
        for work, out, what in (
            (trial.work, tmp_path / "other", f"builds in {trial.work}"),
            (tmp_path / "other", trial.out, f"builds {trial.out}"),
        ):
            second = Build(BuildOptions(str(trial.source), out, audio=False), Workspace(work), print)
            with pytest.raises(RunError, match=f"process {pid} {what} already: let it end, or give"):
                second.run()
            assert not out.exists()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert server.wait().returncode == 0
    assert content(trial.out) == content(undisturbed.out)


@pytest.mark.parametrize("verb", VERBS)
def test_a_stage_alone_refuses_too(server, undisturbed, tmp_path, verb):
    trial = Trial(tmp_path, undisturbed.source)
    trial.has_worked_like(undisturbed)
    with lock.work_folder(trial.work):
        done = server.run(tmp_path, verb, "--work", trial.work)
    assert done.returncode == 1
    assert f"error: process {os.getpid()} builds in {trial.work} already" in done.output


def test_a_card_is_not_rendered_into_a_folder_that_is_being_built(server, undisturbed, trial):
    trial.replaces(undisturbed.out)
    with lock.built_folder(trial.out):
        done = server.run(trial.folder, "card", trial.out)
    assert done.returncode == 1
    assert f"error: process {os.getpid()} builds {trial.out} already" in done.output
    assert content(trial.out) == content(undisturbed.out)
