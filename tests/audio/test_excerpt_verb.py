"""`python -m build excerpt`."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build.files import sha256_of
from build.tables import FETCHED, SONGS
from tests.audio.recordings import noise, write


@pytest.fixture
def work(tmp_path):
    """A work folder with one song fetched and another not."""
    (tmp_path / "work" / "tables").mkdir(parents=True)
    track = write(tmp_path / "track.wav", noise(16 * 48_000))
    songs = [{"song_id": song_id, "title": "", "artist": "", "country": "NA"} for song_id in ("a", "b")]
    fetched = [
        {"song_id": "a", "status": "ok", "path": str(track), "sha256": sha256_of(track)},
        {"song_id": "b", "status": "private"},
    ]
    pq.write_table(pa.Table.from_pylist(songs, SONGS), tmp_path / "work" / "tables" / "songs.parquet")
    pq.write_table(pa.Table.from_pylist(fetched, FETCHED), tmp_path / "work" / "tables" / "fetched.parquet")
    return tmp_path / "work"


def test_excerpt_writes_the_table_of_clips(work, run_build):
    done = run_build("excerpt", "--work", work, "--workers", 1, "--policy", "peak", "--loudness", -6)
    rows = pq.read_table(work / "tables" / "clips.parquet").to_pylist()
    assert [(row["status"], row["loudness_policy"]) for row in rows] == [("ok", "peak"), ("private", None)]
    assert rows[0]["peak_out_dbfs"] == pytest.approx(-5, abs=0.001)
    assert "ok 1, private 1" in done.stdout


def test_policy_that_the_codec_cannot_keep_is_wrong_usage(work, run_build):
    done = run_build("excerpt", "--work", work, "--codec", "source", "--policy", "limit", check=False)
    assert done.returncode == 2
    assert "packets that are copied cannot be limited" in done.stderr
