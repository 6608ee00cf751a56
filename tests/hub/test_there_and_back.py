"""The whole way, from an empty cache and by commands alone: publish, load, rebuild, stream, stop, go on."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq

from tests.conftest import REPOSITORY
from tests.hub.server import TOKEN, serve
from tests.hub.test_clients import environment

LOAD = """
from datasets import Audio, load_dataset
songs = load_dataset("org/moods", "korean", split="train", revision="v1.0.0").cast_column("audio", Audio(decode=False))
print(sorted(songs["song_id"]), any(songs["audio"]))
"""
STREAM = """
import hashlib, json, sys
import globalmood

def read(state, most):
    songs = globalmood.batches("korean", data_dir="org/private", batch_size=2, shuffle=0, decode=False)
    if state:
        songs.load_state_dict(state)
    rows = []
    for batch, _ in zip(songs, range(most)):
        digests = [hashlib.sha256(sound).hexdigest() if sound else None for sound in batch["encoded"]]
        rows += zip(batch["song_id"], digests)
    return rows, batch["state"]

print(json.dumps([read(*asked) for asked in json.loads(sys.argv[1])]))
"""


def test_there_and_back(built, source, tmp_path):
    with serve() as hub:
        home = environment(hub, tmp_path / "home") | {"HF_TOKEN": TOKEN}

        def run(*arguments, answer: str = "") -> str:
            command = [sys.executable, *map(str, arguments)]
            done = subprocess.run(
                command,
                env=home,
                cwd=REPOSITORY,
                input=answer,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            assert TOKEN not in done.stdout + done.stderr
            return done.stdout

        run("-m", "build", "publish", "org/moods", "--folder", built)
        loaded = run("-c", LOAD)
        assert loaded.strip() == f"{ids_of(built, 'train')} False"

        rebuilt = tmp_path / "rebuilt"
        where = ("--urls", source, "--out", rebuilt, "--work", tmp_path / "work")
        said = run("-m", "build", "run", "--source", "hub:org/moods@v1.0.0", *where)
        assert "replay: same 7, differs 0, gone 0, new 0, absent 2" in said
        assert manifest(rebuilt)["audio"] == manifest(built)["audio"]
        assert manifest(rebuilt)["replayed_from"]["repository"] == "org/moods"

        run("-m", "build", "publish", "org/private", "--folder", rebuilt, "--with-audio", "--private", answer="y\n")
        (whole, _), (begun, state) = json.loads(run("-c", STREAM, json.dumps([(None, 99), (None, 2)])))
        [(ended, _)] = json.loads(run("-c", STREAM, json.dumps([(state, 99)])))
        assert begun + ended == whole
        sounds = dict(map(tuple, whole))
        assert sorted(sounds) == ids_of(built, "train")
        assert sounds == {song_id: manifest(built)["audio"].get(song_id) for song_id in sounds}


def manifest(folder: Path) -> dict:
    return json.loads((folder / "MANIFEST.json").read_text())


def ids_of(folder: Path, split: str) -> list[str]:
    tables = [pq.read_table(path, columns=["song_id"]) for path in folder.glob(f"data/{split}-*")]
    return sorted(song_id for table in tables for song_id in table["song_id"].to_pylist())
