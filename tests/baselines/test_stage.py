import pyarrow as pa
import pytest

from build.baselines.sounds import Group
from build.baselines.stage import Job, Stage, run_stage
from build.errors import RunError

pytestmark = pytest.mark.usefixtures("here")


def _work(job: Job) -> pa.Table:
    """Leaves a mark of having run, and fails where it is told to."""
    with open(job.settings["marks"], "a") as marks:
        marks.write(f"{job.group.number}\n")
    if job.group.number == job.settings["fails"]:
        raise ValueError("cannot be done")
    return pa.table({"number": [job.group.number]})


def groups(tmp_path, count=4):
    return [Group(tmp_path / "x.parquet", number, "song_id", ((f"s{number}", "a"),)) for number in range(count)]


def stage(tmp_path, fails=None):
    (tmp_path / "marks").touch()
    return Stage("test", _work, {"marks": str(tmp_path / "marks"), "fails": fails})


def marks(tmp_path):
    return sorted((tmp_path / "marks").read_text().split())


def test_results_come_in_the_order_of_the_groups(tmp_path):
    table = run_stage(stage(tmp_path), groups(tmp_path), tmp_path / "cache", workers=2)
    assert table["number"].to_pylist() == [0, 1, 2, 3]


def test_what_is_done_is_not_done_again(tmp_path):
    run_stage(stage(tmp_path), groups(tmp_path, 2), tmp_path / "cache", workers=1)
    run_stage(stage(tmp_path), groups(tmp_path, 3), tmp_path / "cache", workers=1)
    assert marks(tmp_path) == ["0", "1", "2"]


def test_other_sound_or_other_settings_are_done_anew(tmp_path):
    run_stage(stage(tmp_path), groups(tmp_path, 1), tmp_path / "cache", workers=1)
    changed = [groups(tmp_path, 1)[0]._replace(content=(("s0", "b"),))]
    run_stage(stage(tmp_path), changed, tmp_path / "cache", workers=1)
    run_stage(stage(tmp_path, fails=9), changed, tmp_path / "cache", workers=1)
    assert marks(tmp_path) == ["0", "0", "0"]


def test_a_group_that_fails_is_named_and_the_others_are_kept(tmp_path):
    with pytest.raises(
        RunError, match=r"test: 1 row groups failed; the first: .*row group 2: ValueError: cannot be done"
    ):
        run_stage(stage(tmp_path, fails=2), groups(tmp_path), tmp_path / "cache", workers=2)
    assert len(list((tmp_path / "cache" / "test").glob("*.parquet"))) == 3
