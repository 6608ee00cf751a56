"""The excerpt stage: one row for every song, the same whatever the workers, the order and the hash seed."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build.audio import ClipOptions, excerpt_songs
from build.files import sha256_of
from build.tables import CLIPS, FETCHED, SONGS
from build.workers import Failure, pool
from tests.audio.recordings import noise, write

OPTIONS = ClipOptions(policy="headroom")


class Here:
    """Stands in for worker processes: runs every job at once, but loses the songs that it is told to lose."""

    def __init__(self, lost: dict[str, Failure] | None = None) -> None:
        self.lost = lost or {}

    def run_each(self, function, jobs, timeout_s):
        for job in reversed(list(jobs)):
            yield job, self.lost.get(job.request.song_id) or function(job)


def songs_of(paths: dict[str, Path], **starts: float) -> tuple[pa.Table, pa.Table]:
    names = {"title": "", "artist": "", "country": "NA"}
    songs = [{"song_id": song_id, "start_s": starts.get(song_id)} | names for song_id in paths]
    fetched = [
        {"song_id": song_id, "status": "ok", "path": str(path), "sha256": sha256_of(path)}
        for song_id, path in paths.items()
    ]
    return pa.Table.from_pylist(songs, SONGS), pa.Table.from_pylist(fetched, FETCHED)


@pytest.fixture(scope="module")
def tracks(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tracks")
    kinds = {"d": "flac", "b": "webm", "c": "mp3", "a": "m4a"}
    made = {
        name: write(folder / f"{name}.{kind}", noise(17 * 48_000, seed=n))
        for n, (name, kind) in enumerate(kinds.items())
    }
    short = write(folder / "e.wav", noise(48_000))
    return made | {"e": short}


def test_every_song_has_a_row_and_rows_are_sorted(tracks, tmp_path):
    clips = excerpt_songs(*songs_of(tracks), OPTIONS, tmp_path, Here())
    assert clips.schema == CLIPS
    assert clips["song_id"].to_pylist() == ["a", "b", "c", "d", "e"]
    assert clips["status"].to_pylist() == ["ok"] * 4 + ["too_short"]
    assert all(Path(path).is_file() for path in clips["path"].to_pylist()[:4])


def test_songs_without_a_track_keep_their_status(tmp_path):
    songs, _ = songs_of({})
    songs = pa.Table.from_pylist([{"song_id": s, "title": "", "artist": "", "country": "NA"} for s in "ab"], SONGS)
    fetched = pa.Table.from_pylist(
        [{"song_id": "b", "status": "geo_blocked", "message": "not in your country"}], FETCHED
    )
    rows = excerpt_songs(songs, fetched, OPTIONS, tmp_path, Here()).to_pylist()
    assert [(row["status"], row["message"]) for row in rows] == [
        ("not_fetched", None),
        ("geo_blocked", "not in your country"),
    ]
    assert {value for row in rows for name, value in row.items() if name not in ("song_id", "status", "message")} == {
        None
    }


def test_windows_are_published_replayed_or_drawn(tracks, tmp_path):
    replay = pa.table({"song_id": ["c", "d"], "start_s": [0.5, 1.5]})
    songs, fetched = songs_of(tracks, d=1.0)
    clips = excerpt_songs(songs, fetched, OPTIONS, tmp_path, Here(), replay=replay)
    kinds = dict(zip(clips["song_id"].to_pylist(), clips["window"].to_pylist(), strict=True))
    starts = dict(zip(clips["song_id"].to_pylist(), clips["start_s"].to_pylist(), strict=True))
    assert kinds == {"a": "drawn", "b": "drawn", "c": "replayed", "d": "published", "e": None}
    assert (starts["c"], starts["d"]) == (0.5, 1.0)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (Failure("crash", "the worker process died (exit code -11)"), "crash: the worker process died (exit code -11)"),
        (Failure("timeout", "took longer than 600 s"), "timeout: took longer than 600 s"),
    ],
)
def test_a_lost_task_costs_its_song(tracks, tmp_path, failure, message):
    rows = excerpt_songs(*songs_of(tracks), OPTIONS, tmp_path, Here({"c": failure})).to_pylist()
    assert [row["status"] for row in rows] == ["ok", "ok", "decode_error", "ok", "too_short"]
    assert rows[2]["message"] == message


def test_a_file_that_never_ends_costs_its_song(tracks, tmp_path):
    os.mkfifo(tmp_path / "pipe.mp3")  # opening it waits for a writer
    songs, fetched = songs_of({"b": tracks["b"]})
    hung = fetched.to_pylist()[0] | {"path": str(tmp_path / "pipe.mp3")}
    with pool(1) as workers:
        clips = excerpt_songs(songs, pa.Table.from_pylist([hung], FETCHED), OPTIONS, tmp_path, workers, time_limit_s=1)
    assert clips["status"].to_pylist() == ["decode_error"]
    assert clips["message"].to_pylist() == ["timeout: took longer than 1 s"]


RUN = """
import pyarrow.parquet as pq
from build.audio import ClipOptions, excerpt_songs
from build.workers import pool
from pathlib import Path
if __name__ == "__main__":
    with pool(2) as workers:
        songs, fetched = pq.read_table("songs.parquet"), pq.read_table("fetched.parquet")
        clips = excerpt_songs(songs, fetched, ClipOptions(codec="source"), Path("clips"), workers)
    pq.write_table(clips, "clips.parquet")
"""


def test_workers_order_and_hash_seed_do_not_change_a_byte(tracks, tmp_path, monkeypatch):
    songs, fetched = songs_of(tracks)
    for name, table in (("songs", songs), ("fetched", fetched)):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    (tmp_path / "run.py").write_text(RUN)
    repository = Path(__file__).resolve().parents[2]
    environment = os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": str(repository)}
    subprocess.run([sys.executable, "run.py"], cwd=tmp_path, env=environment, check=True, capture_output=True)

    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    clips = excerpt_songs(songs.take([3, 1, 4, 0, 2]), fetched, ClipOptions(codec="source"), Path("clips"), Here())

    def payloads(folder: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (folder / "clips").iterdir()}

    assert clips == pq.read_table(tmp_path / "clips.parquet")
    assert payloads(tmp_path / "here") == payloads(tmp_path)
    assert len(payloads(tmp_path)) == 2 * 4  # a payload and a mark for each song that is long enough
