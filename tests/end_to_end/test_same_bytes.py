"""The same bytes wherever and however the dataset is built."""

import os
import shutil
import subprocess
import sys

import pytest

from build.workspace import REPOSITORY


@pytest.mark.slow
def test_two_clones_build_the_same_bytes(tmp_path):
    """One worker and two, two hash seeds, two folders: shards, card and manifest are byte-identical."""
    first = built_in(tmp_path / "a", workers=1, hash_seed=1)
    second = built_in(tmp_path / "b", workers=2, hash_seed=2)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def built_in(clone, workers: int, hash_seed: int) -> dict[str, bytes]:
    """Content by path of the sample, built in a new clone."""
    git = shutil.which("git")
    subprocess.run([git, "clone", "--quiet", str(REPOSITORY), str(clone)], check=True)
    subprocess.run(
        [sys.executable, "-m", "build", "run", "--workers", str(workers)],
        cwd=clone,
        env=os.environ | {"PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        check=True,
    )
    built = clone / "globalmood"
    return {str(path.relative_to(built)): path.read_bytes() for path in built.rglob("*") if path.is_file()}
