"""A full or forbidden disk: said in one line, nothing damaged, and the same command goes on once that is put right."""

import shutil
import subprocess

import pytest

from tests.reliability.trial import Trial, content

MB = 1_000_000


@pytest.fixture
def small_disk(tmp_path):
    """Mount a folder with room for so many bytes, and give it another size later; skips where only root may do that."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options: str) -> None:
        command = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("a small file system can be mounted by root only")

    yield folder, mount
    subprocess.run(["umount", str(folder)], capture_output=True, check=False)  # noqa: S607 - where it is, differs


def test_no_room_on_the_disk(server, source, undisturbed, earlier, small_disk):
    """The disk is full in turn before the fetch, among the excerpts and among the shards."""
    folder, mount = small_disk
    trial = Trial(folder, source)
    old = sum(path.stat().st_size for path in earlier.rglob("*") if path.is_file())
    fetched, clips = (size_of(undisturbed.work / name) for name in ("audio", "clips"))
    mount(f"size={old + fetched // 2}")
    trial.replaces(earlier)
    done = trial.run(server)
    assert_says(done, "disk: 0.0 GB free")
    for room in (old + fetched + clips // 2, old + fetched + clips + clips // 2):
        mount(f"remount,size={room + 2 * MB}")
        done = trial.run(server)
        assert_says(done, "No space left on device", "make room, then the same command goes on from here")
        assert content(trial.out) == content(earlier)
        assert not (folder / ".globalmood.new").exists(), "what was half written takes no room"
    mount(f"remount,size={old + 4 * (fetched + clips)}")
    assert trial.run(server).returncode == 0
    assert content(trial.out) == content(undisturbed.out)


@pytest.mark.parametrize("stage", ["fetch", "excerpt", "shards"])
def test_a_file_may_grow_no_further(server, undisturbed, earlier, trial, stage):
    trial.replaces(earlier)
    clips = max(path.stat().st_size for path in (undisturbed.work / "clips").iterdir())
    trial.has_worked_like(undisturbed)
    if stage != "shards":
        shutil.rmtree(trial.work / "clips")
    if stage == "fetch":
        shutil.rmtree(trial.work / "audio")
    done = trial.run(server, largest_bytes=clips + 1000 if stage == "shards" else clips // 2)
    assert_says(done, "File too large", "make room" if stage == "fetch" else "then the same command goes on")
    assert content(trial.out) == content(earlier)
    assert trial.run(server).returncode == 0
    assert content(trial.out) == content(undisturbed.out)


@pytest.mark.parametrize("option", ["--out", "--work"])
def test_a_folder_that_may_not_be_written(server, source, undisturbed, small_disk, tmp_path, option):
    """Said before anything is fetched."""
    folder, mount = small_disk
    mount("ro")
    trial = Trial(tmp_path, source)
    done = trial.run(server, option, folder / "somewhere")
    assert_says(done, f"{folder}", "cannot be written (Read-only file system)", f"give another {option}")
    assert not (trial.work / "audio").exists()


def assert_says(done, *phrases: str) -> None:
    """The build ended with exit code 1, and its last line before the count of operations is an error with `phrases`."""
    line = done.output.splitlines()[-2]
    assert (done.returncode, line.startswith("error: ")) == (1, True), done.output
    assert [phrase for phrase in phrases if phrase not in line] == [], line
    assert "Traceback" not in done.output


def size_of(folder) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
