"""A build that is killed and started again by the same command ends with the bytes of one that was left alone."""

import itertools
import random
import signal
import time
from pathlib import Path

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
    assert is_whole(trial.out if trial.out.exists() else trial.folder / ".globalmood.old"), "nothing is lost meanwhile"
    assert trial.run(server).returncode == 0
    assert content(trial.out) == content(undisturbed.out)
    assert not trial.leftovers()


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
def test_the_whole_sample_killed_fifty_times(server, earlier, tmp_path):
    """Of five kills two come after a random time, two at a random file operation and one inside the swap. A build that
    gets through is compared, and the next one begins with nothing but a built folder to replace.
    """
    draw, kills, builds = random.Random(SLOW_SEED), 0, 0  # noqa: S311 - any moments will do
    reference = Trial(tmp_path / "undisturbed", "sample")
    began = time.monotonic()
    operations = reference.run(server).operations
    duration_s = time.monotonic() - began
    wanted, swaps = content(reference.out), itertools.cycle(SWAP)
    trial = begun(tmp_path / "0", earlier)
    while kills < SLOW_KILLS:
        by_operation, by_time = Blow(draw.randint(1, operations)), Blow(after_s=draw.uniform(0, duration_s))
        moment = next(swaps) if kills % 5 == 4 else ""
        done = trial.run(server, blow=SWAP[moment] if moment else (by_operation, by_time)[kills % 2])
        if done.returncode == -signal.SIGKILL:
            kills += 1
            assert is_whole(trial.out) if trial.out.exists() else moment == "between the two renames", f"kill {kills}"
            continue
        assert done.returncode == 0, done.output
        assert content(trial.out) == wanted
        trial.remove()
        builds += 1
        trial = begun(tmp_path / str(builds), earlier)
    assert trial.run(server).returncode == 0
    assert content(trial.out) == wanted
    assert not trial.leftovers()


def begun(folder: Path, earlier: Path) -> Trial:
    """A build of the sample that is to replace `earlier`."""
    trial = Trial(folder, "sample")
    trial.replaces(earlier)
    return trial
