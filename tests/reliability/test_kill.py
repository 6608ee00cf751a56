"""A build that is killed and started again by the same command ends with the bytes of one that was left alone."""

import random
import signal
import time

import pytest

from tests.reliability.builds import Blow
from tests.reliability.trial import Trial, content, is_whole

SEEDS = (1, 2, 3)
SLOW_SEED, SLOW_KILLS = 8, 50
SWAP = {
    "before the old folder is moved away": Blow(1, "os.rename", ".globalmood.old'"),
    "between the two renames": Blow(1, "os.rename", ".globalmood.new'"),
    "before the old folder is deleted": Blow(1, "os.remove", ".globalmood.old"),
}


@pytest.mark.parametrize("seed", SEEDS)
def test_killed_at_any_moment(server, undisturbed, earlier, trial, seed):
    trial.replaces(earlier)
    nth = random.Random(seed).randint(1, undisturbed.operations)  # noqa: S311 - any moments will do
    assert trial.run(server, blow=Blow(nth)).returncode == -signal.SIGKILL
    assert is_whole(trial.out), "until the swap the old folder stays what it was"
    assert trial.run(server).returncode == 0
    assert content(trial.out) == content(undisturbed.out)
    assert not trial.leftovers()


@pytest.mark.parametrize("moment", SWAP)
def test_killed_inside_the_swap(server, undisturbed, earlier, trial, moment):
    trial.replaces(earlier)
    trial.has_worked_like(undisturbed)
    assert trial.run(server, blow=SWAP[moment]).returncode == -signal.SIGKILL
    assert trial.out.exists() == (moment != "between the two renames")
    assert not trial.out.exists() or is_whole(trial.out)
    assert trial.run(server).returncode == 0
    assert content(trial.out) == content(undisturbed.out)
    assert not trial.leftovers()


@pytest.mark.slow
def test_the_whole_sample_killed_fifty_times(server, tmp_path):
    """Half of the kills come after a random time, half at a random file operation; a build that gets through is
    compared, and the next one begins from nothing.
    """
    draw, kills, builds = random.Random(SLOW_SEED), 0, 0  # noqa: S311 - any moments will do
    reference = Trial(tmp_path / "undisturbed", "sample")
    began = time.monotonic()
    operations = reference.run(server).operations
    duration_s = time.monotonic() - began
    wanted = content(reference.out)
    while kills < SLOW_KILLS:
        trial = Trial(tmp_path / str(builds), "sample")
        moments = Blow(draw.randint(1, operations)), Blow(after_s=draw.uniform(0, duration_s))
        done = trial.run(server, blow=moments[kills % 2])
        if done.returncode == -signal.SIGKILL:
            kills += 1
            continue
        assert done.returncode == 0, done.output
        assert content(trial.out) == wanted
        trial.remove()
        builds += 1
    assert trial.run(server).returncode == 0
    assert content(trial.out) == wanted
