"""Real music over HTTP: sixteen mp3 files, the real yt-dlp, an independent decoder."""

import functools
import http.server
import threading

import numpy as np
import pytest
import soundfile
from datasets import Audio, load_dataset
from scipy.signal import correlate

import globalmood
from build.validate import validate


@pytest.fixture(scope="module")
def served(shared_data):
    """Base URL of the real mp3 files on this machine."""
    folder = str(shared_data / "madb" / "audio")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def real_music(shared_data, served, tmp_path_factory, run_build):
    """Built folder of 16 real tracks, fetched by the real yt-dlp; loudness by one gain, so that it can be undone."""
    folder = tmp_path_factory.mktemp("music")
    rows = [
        f"{path.stem},US,t,a,{served}/{path.name}" for path in sorted((shared_data / "madb" / "audio").glob("*.mp3"))
    ]
    (folder / "songs.csv").write_text("\n".join(["song_id,country,title,artist,url", *rows]), encoding="utf-8")
    run_build(
        "run",
        "--source",
        folder,
        "--out",
        folder / "out",
        "--work",
        folder / "work",
        "--policy",
        "headroom",
        "--seed",
        5,
    )
    return folder / "out"


def test_sixteen_real_tracks_become_songs_that_match_their_source_at_their_start(real_music, shared_data):
    """Lag 0 by cross-correlation with a decode of the whole file by libsndfile, which knows nothing of PyAV."""
    songs = load_dataset(str(real_music), "all").cast_column("audio", Audio(decode=False))
    rows = [row for split in songs.values() for row in split]
    assert len(rows) == 16
    for row in rows:
        sound, rate_hz = globalmood.waveform(row["audio"])
        assert (row["status"], sound.shape, rate_hz) == ("ok", (2, 720_000), 48_000)
        track, track_hz = soundfile.read(shared_data / "madb" / "audio" / f"{row['song_id']}.mp3", dtype="float32")
        assert track_hz == 48_000
        assert row["start_s"] == pytest.approx(row["start_sample"] / track_hz)
        window = track[row["start_sample"] : row["start_sample"] + 720_000].T
        assert lag(sound[0], window[0]) == 0
        undone = sound * 10 ** (-row["gain_db"] / 20)
        assert np.sqrt(np.mean((undone - window) ** 2)) < 1e-3 * np.sqrt(np.mean(window**2)) + 2e-5


def lag(left: np.ndarray, right: np.ndarray, reach: int = 4_800) -> int:
    """By how many samples `left` comes after `right`, looking `reach` samples either way."""
    inner = right[reach:-reach]
    return int(np.argmax(correlate(left, inner, mode="valid", method="fft")) - reach)


def test_the_folder_of_real_music_is_whole_and_streams(real_music):
    assert not validate(real_music)
    streamed = load_dataset(str(real_music), "korean", streaming=True)
    assert sum(1 for rows in streamed.values() for _ in rows.cast_column("audio", Audio(decode=False))) == 16
