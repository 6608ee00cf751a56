from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from build.synthetic.media import can_write, write_media

RATE_HZ = 48_000
FORMATS = ["flac", "ogg", "mp3", "webm", "m4a"]


def samples(channels: int = 2) -> np.ndarray:
    """Two seconds of a sweep, the channels at different levels."""
    time_s = np.arange(2 * RATE_HZ) / RATE_HZ
    sweep = 0.4 * np.sin(2 * np.pi * (200 * time_s + 400 * time_s**2))
    return np.stack([sweep, 0.5 * sweep])[:channels].astype(np.float32)


def decoded(path: Path) -> tuple[np.ndarray, int]:
    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        resampler = av.AudioResampler("fltp", stream.layout, stream.rate)
        frames = [part.to_ndarray() for frame in container.decode(stream) for part in resampler.resample(frame)]
        return np.concatenate(frames, axis=1), stream.rate


@pytest.fixture(params=FORMATS)
def extension(request: pytest.FixtureRequest) -> str:
    if not can_write(request.param):
        pytest.skip(f"this PyAV has no encoder for {request.param}")
    return str(request.param)


@pytest.mark.parametrize("channels", [1, 2])
def test_what_is_written_decodes_to_what_was_given(tmp_path: Path, extension: str, channels: int) -> None:
    path = tmp_path / f"song.{extension}"
    write_media(path, samples(channels), RATE_HZ)
    found, rate_hz = decoded(path)
    given = samples(channels)
    assert rate_hz == RATE_HZ
    assert found.shape[0] == channels
    assert abs(found.shape[1] - given.shape[1]) <= 2_048
    shared = min(found.shape[1], given.shape[1])
    for heard, played in zip(found[:, :shared], given[:, :shared], strict=True):
        assert np.corrcoef(heard, played)[0, 1] > 0.99


def test_bytes_depend_on_the_samples_alone(tmp_path: Path, extension: str) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_media(tmp_path / name / f"{name}.{extension}", samples(), RATE_HZ)
    assert (tmp_path / f"a/a.{extension}").read_bytes() == (tmp_path / f"b/b.{extension}").read_bytes()


def test_flac_is_right_to_half_a_step_of_16_bits(tmp_path: Path) -> None:
    write_media(tmp_path / "song.flac", samples(), 44_100)
    found, rate_hz = soundfile.read(tmp_path / "song.flac", dtype="float32")
    assert rate_hz == 44_100
    assert np.abs(found.T * 32768 / 32767 - samples()).max() <= 0.51 / 32767


@pytest.mark.parametrize("name", ["ogg", "mp3", "flac"])
def test_libsndfile_reads_it_too(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"song.{name}"
    write_media(path, samples(), RATE_HZ)
    assert soundfile.info(path).frames == pytest.approx(2 * RATE_HZ, abs=2_304)


def test_a_missing_encoder_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from build.synthetic import media

    monkeypatch.setitem(media.FORMATS, "m4a", media.FORMATS["m4a"]._replace(encoder="no_such_encoder"))
    assert not can_write("m4a")
    assert can_write("flac")
