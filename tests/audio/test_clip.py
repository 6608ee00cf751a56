"""One song from track to payload: its row, and what is done when something is wrong with it."""

import io
import json
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from build.audio.clip import ClipJob, make_clip
from build.audio.excerpt import N_SAMPLES
from build.audio.loudness import decibels, integrated_lufs, peak
from build.audio.options import ClipOptions
from build.audio.status import STATUSES
from build.audio.window import WindowRequest
from build.errors import RunError
from build.files import sha256_of
from build.tables import CLIPS
from tests.audio.recordings import noise, sine, write

HEADROOM = ClipOptions(policy="headroom")


def job_for(source: Path, options: ClipOptions = HEADROOM, **request) -> ClipJob:
    song = WindowRequest("song", options.seed, **request)
    return ClipJob(song, source, sha256_of(source), options, source.parent / "clips")


def float_wav(path: Path, samples: np.ndarray) -> Path:
    soundfile.write(path, samples.T, 48_000, subtype="FLOAT")
    return path


@pytest.fixture(scope="module")
def flac(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("flac") / "track.flac", noise(18 * 48_000))


@pytest.fixture(scope="module")
def opus(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("opus") / "track.webm", noise(18 * 48_000))


def test_row_says_what_the_payload_is(flac):
    row = make_clip(job_for(flac))
    payload = Path(row["path"]).read_bytes()
    samples, rate_hz = soundfile.read(io.BytesIO(payload))
    assert set(row) | {"message"} == set(CLIPS.names)
    assert (row["status"], row["window"], row["codec"], row["source_format"]) == ("ok", "drawn", "flac", "flac/flac")
    assert (samples.shape, rate_hz) == ((N_SAMPLES, 2), 48_000)
    assert row["track_duration_s"] == 18
    assert row["loudness_out_lufs"] == pytest.approx(integrated_lufs(samples.T), abs=0.001)
    assert row["loudness_out_lufs"] == pytest.approx(row["loudness_in_lufs"] + row["gain_db"], abs=0.001)
    assert row["peak_out_dbfs"] == pytest.approx(decibels(peak(samples)), abs=0.001)
    assert row["true_peak_out_dbtp"] >= row["peak_out_dbfs"] == pytest.approx(-1, abs=1e-3)
    assert row["source_sha256"] == sha256_of(flac)
    assert row["audio_sha256"] == sha256_of(Path(row["path"]))


def test_sixteen_bit_source_under_policy_none_comes_back_bit_for_bit(flac):
    row = make_clip(job_for(flac, ClipOptions(policy="none"), published_s=1.25))
    source, _ = soundfile.read(flac, dtype="int16", start=60_000, frames=N_SAMPLES)
    clip, _ = soundfile.read(row["path"], dtype="int16")
    assert row["window"] == "published"
    assert np.array_equal(clip, source)


def test_opus_is_copied_and_its_header_holds_the_gain(opus):
    row = make_clip(job_for(opus, ClipOptions(codec="source")))
    samples, _ = soundfile.read(row["path"])
    assert (row["codec"], row["loudness_policy"], row["source_format"]) == ("opus", "headroom", "webm/opus")
    assert Path(row["path"]).suffix == ".opus"
    assert len(samples) == N_SAMPLES
    assert row["loudness_out_lufs"] == pytest.approx(integrated_lufs(samples.T), abs=0.01)
    assert row["peak_out_dbfs"] == pytest.approx(decibels(peak(samples)), abs=0.05)
    assert row["peak_out_dbfs"] == pytest.approx(-1, abs=0.01)


def test_exact_gain_of_copied_packets_reaches_the_target(opus):
    row = make_clip(job_for(opus, ClipOptions(codec="source", policy="exact")))
    with av.open(row["path"]) as container:
        samples = np.concatenate([frame.to_ndarray() for frame in container.decode(audio=0)], axis=1)
    assert integrated_lufs(samples) == pytest.approx(-5, abs=0.01)
    assert row["peak_out_dbfs"] > 0


def test_other_sources_fall_back_to_flac_and_say_so(flac):
    row = make_clip(job_for(flac, ClipOptions(codec="source", policy="exact")))
    assert (row["codec"], row["loudness_policy"]) == ("flac", "headroom")
    assert row["peak_out_dbfs"] == pytest.approx(-1, abs=1e-3)


def test_limited_excerpt_says_how_much(flac):
    row = make_clip(job_for(flac, ClipOptions()))
    assert row["loudness_policy"] == "limit"
    assert row["limiter_db"] > 3
    assert row["loudness_in_lufs"] < row["loudness_out_lufs"] < -4.9
    assert row["peak_out_dbfs"] == pytest.approx(-1, abs=0.001)


def test_every_decoder_gives_the_same_length(flac, opus):
    decoders = pytest.importorskip("torchcodec.decoders")
    for source in (flac, opus):
        payload = Path(make_clip(job_for(source, ClipOptions(codec="source")))["path"]).read_bytes()
        with av.open(io.BytesIO(payload)) as container:
            assert sum(frame.samples for frame in container.decode(audio=0)) == N_SAMPLES
        assert soundfile.info(io.BytesIO(payload)).frames == N_SAMPLES
        assert tuple(decoders.AudioDecoder(payload).get_all_samples().data.shape) == (2, N_SAMPLES)


def test_what_is_finished_is_not_made_again(flac):
    job = job_for(flac, ClipOptions(seed=1))
    first = make_clip(job)
    before = Path(first["path"]).stat().st_mtime_ns
    flac_bytes = flac.read_bytes()
    flac.write_bytes(b"gone")
    try:
        assert make_clip(job) == first
    finally:
        flac.write_bytes(flac_bytes)
    assert Path(first["path"]).stat().st_mtime_ns == before


@pytest.mark.parametrize("damage", ["flip", "remove", "unmark", "zeros", "level", "list"])
def test_what_is_damaged_is_made_again(flac, damage):
    job = job_for(flac, ClipOptions(seed=2))
    first = make_clip(job)
    path = Path(first["path"])
    good, mark = path.read_bytes(), path.with_suffix(".json").read_bytes()
    marks = {"zeros": bytes(len(mark)), "level": mark.replace(b'"loudness_in_lufs": -', b'"loudness_in_lufs": -1')}
    if damage in (*marks, "list"):
        path.with_suffix(".json").write_bytes(marks.get(damage, b"[1]"))
    elif damage == "flip":
        path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    elif damage == "remove":
        path.unlink()
    else:
        path.with_suffix(".json").unlink()
    assert make_clip(job) == first
    assert path.read_bytes() == good


def test_a_folder_that_cannot_be_written_ends_the_run_and_is_no_fault_of_the_song(flac, tmp_path):
    (tmp_path / "clips").write_text("a file where the folder should be")
    with pytest.raises(RunError, match=r"clips.*then the same command goes on from here"):
        make_clip(replace(job_for(flac), folder=tmp_path / "clips"))


def test_mark_holds_no_folder(flac):
    path = Path(make_clip(job_for(flac))["path"])
    assert json.loads(path.with_suffix(".json").read_text())["path"] == path.name


@pytest.mark.parametrize(
    "other",
    [
        {"options": ClipOptions(policy="headroom", loudness_lufs=-6.0)},
        {"options": ClipOptions(policy="peak")},
        {"options": ClipOptions(policy="headroom", codec="source")},
        {"request": WindowRequest("song", 1)},
        {"request": WindowRequest("song", 0, published_s=1.0)},
        {"source_sha256": "0" * 64},
    ],
    ids=lambda change: next(iter(change)),
)
def test_payload_is_named_by_what_it_depends_on(flac, other):
    job = job_for(flac)
    assert replace(job, **other).key != job.key
    assert replace(job, source=Path("elsewhere"), folder=Path("there")).key == job.key


def test_replayed_window_gives_the_same_payload(flac):
    drawn = make_clip(job_for(flac, ClipOptions(seed=3, policy="none")))
    replayed = make_clip(job_for(flac, ClipOptions(seed=4, policy="none"), replayed_s=drawn["start_s"]))
    assert (replayed["window"], replayed["start_sample"]) == ("replayed", drawn["start_sample"])
    assert replayed["audio_sha256"] == drawn["audio_sha256"]


@pytest.mark.parametrize("ending", ["webm", "opus", "ogg", "flac", "wav"])
@pytest.mark.parametrize(("n_samples", "status"), [(336_000, "too_short"), (720_000, "ok"), (720_001, "ok")])
def test_short_tracks(tmp_path, ending, n_samples, status):
    row = make_clip(job_for(write(tmp_path / f"track.{ending}", noise(n_samples))))
    assert (row["status"], row["track_duration_s"]) == (status, n_samples / 48_000)
    if status == "ok":
        assert soundfile.info(row["path"]).frames == N_SAMPLES
        assert row["start_sample"] <= n_samples - N_SAMPLES
    else:
        assert row["message"] == "the track has 7.000 s, an excerpt 15 s"
        assert not list((tmp_path / "clips").glob("*"))


def nan_at(place: int) -> np.ndarray:
    samples = sine(16, 0.1, n_channels=2)
    samples[1, place] = np.nan
    return samples


@pytest.mark.parametrize(
    ("samples", "status", "message"),
    [
        (np.zeros((2, 16 * 48_000)), "silent", "silent, or below -70 LUFS throughout"),
        (sine(16, 10 ** (-70.2 / 20), n_channels=2), "silent", "silent, or below -70 LUFS throughout"),
        (sine(16, 1e-3, n_channels=2), "too_quiet", "would need 55.0 dB; 30.0 are allowed"),
        (nan_at(7 * 48_000), "non_finite", "samples that are not numbers"),
        (np.full((2, 16 * 48_000), np.inf), "non_finite", "samples that are not numbers"),
    ],
    ids=["zeros", "gate", "quiet", "nan", "inf"],
)
def test_sound_that_cannot_be_levelled(tmp_path, samples, status, message):
    row = make_clip(job_for(float_wav(tmp_path / "track.wav", samples), ClipOptions()))
    assert row["status"] == status
    assert message in row["message"]
    assert "path" not in row


@pytest.mark.parametrize(
    "content", [b"", b"<html>not here</html>", bytes(range(256)) * 2_000], ids=["0", "html", "bytes"]
)
def test_what_is_no_audio(tmp_path, content):
    (tmp_path / "track.mp3").write_bytes(content)
    assert make_clip(job_for(tmp_path / "track.mp3"))["status"] == "decode_error"


def test_source_that_is_gone(flac, tmp_path):
    row = make_clip(replace(job_for(flac), source=tmp_path / "gone.flac", folder=tmp_path))
    assert row["status"] == "source_changed"
    assert row["message"].endswith("gone.flac: No such file or directory; fetch the song again")


def test_source_that_is_another_file(flac, tmp_path):
    row = make_clip(replace(job_for(flac), source_sha256="0" * 64, folder=tmp_path))
    assert row["status"] == "source_changed"
    assert "is not the file that was fetched" in row["message"]


def test_every_status_has_a_meaning(flac, tmp_path):
    outside = make_clip(job_for(flac, published_s=100.0))
    assert outside["status"] == "outside_track"
    assert STATUSES.keys() >= {outside["status"], "source_changed", "too_quiet", "silent", "non_finite", "no_audio"}


def test_no_row_holds_a_value_that_is_not_finite(flac, opus):
    for source in (flac, opus):
        row = make_clip(job_for(source, ClipOptions(codec="source", policy="none")))
        assert all(np.isfinite(value) for value in row.values() if isinstance(value, float))
