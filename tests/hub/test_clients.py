"""What was published, loaded and streamed by the real `datasets`, from a Hub on this machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.hub.server import CUT, Hub, serve

pytestmark = pytest.mark.contract
REPOSITORY = "org/moods"
ROWS = """
import atexit, gc, json, sys
from datasets import Audio, disable_progress_bars, load_dataset

atexit.register(gc.collect)  # as the card advises those who stream without `globalmood`

def rows(asked):
    loaded = load_dataset("org/moods", "korean", **asked)
    parts = {split: part.cast_column("audio", Audio(decode=False)) for split, part in loaded.items()}
    return {
        row["song_id"]: [split, len(row["audio"]["bytes"]) if row["audio"] else None]
        for split, part in parts.items() for row in part
    }

disable_progress_bars()
print(json.dumps([rows(asked) for asked in json.loads(sys.argv[1])]))
"""


def environment(hub: Hub, home: Path) -> dict[str, str]:
    """Of a process whose clients know `hub` alone, and whose caches are empty."""
    return os.environ | {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }


def rows(hub: Hub, home: Path, *asked: dict) -> list[dict[str, list]]:
    """Song id -> split and size of its sound, for each of several `load_dataset`, as another process reads them."""
    command = [sys.executable, "-c", ROWS, json.dumps(asked)]
    done = subprocess.run(
        command, env=environment(hub, home), cwd=home, capture_output=True, text=True, check=False, timeout=180
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def written(folder: Path) -> dict[str, list]:
    """The same, as the files of a built folder have it."""
    return {
        row["song_id"]: [path.name.split("-")[0], len(row["audio"]["bytes"]) if row["audio"] else None]
        for path in folder.glob("data/*.parquet")
        for row in pq.read_table(path, columns=["song_id", "audio"]).to_pylist()
    }


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def online(silent, built):
    """A Hub with `org/moods`: without audio at the tag v1.0.0, with audio on its main branch."""
    with serve() as hub:
        repository = hub.create(REPOSITORY)
        repository.tags["v1.0.0"] = repository.commit(content(silent), "without audio")
        repository.commit(content(built), "with audio")
        yield hub


def test_a_tag_and_the_main_branch_give_what_was_published_there(online, tmp_path, silent, built):
    asked = [{"revision": revision, "streaming": streaming} for revision in ("v1.0.0", "main") for streaming in (0, 1)]
    assert rows(online, tmp_path, *asked) == [written(silent), written(silent), written(built), written(built)]
    assert {size for _, size in written(silent).values()} == {None}


@pytest.mark.parametrize(("streaming", "first"), [(False, 429), (True, 500)])
def test_a_client_outlives_a_500_a_429_and_a_cut(online, tmp_path, built, streaming, first):
    full = [path.name for path in sorted(built.glob("data/*.parquet")) if pq.read_metadata(path).num_rows]
    for name, kind in zip(full[:3], (first, 429, CUT), strict=True):  # those without rows are one file to a cache
        online.fail("GET", f"resolve/.*/data/{name}", kind)
    assert rows(online, tmp_path, {"streaming": streaming}) == [written(built)]
    assert not any(fault.times for fault in online.faults)
