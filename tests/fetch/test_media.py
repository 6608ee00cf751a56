import io
import wave

import av
import numpy as np
import pytest

from build.fetch import media
from build.fetch.taxonomy import RefusedError
from tests.fetch.site import tone


def encoded(
    path, container: str, codec: str, bit_rate: int = 96_000, seconds: float = 4.0, rate_hz: int = 48000, **muxer: str
):
    """A sine in a container, written with PyAV."""
    with av.open(str(path), "w", format=container, options=muxer) as out:
        stream = out.add_stream(codec, rate=rate_hz)
        stream.bit_rate = bit_rate
        stream.layout = "mono"
        wanted = stream.codec_context.format.name
        for start in range(0, int(seconds * rate_hz), 960):
            at = (start + np.arange(960)) / rate_hz
            samples = (0.3 * np.sin(2 * np.pi * 440 * at)).astype(np.float32)[None]
            frame = av.AudioFrame.from_ndarray(samples, format="flt", layout="mono")
            frame.rate, frame.pts = rate_hz, start
            for converted in av.AudioResampler(format=wanted, layout="mono", rate=rate_hz).resample(frame):
                out.mux(stream.encode(converted))
        out.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(
    ("container", "codec", "suffix"),
    [
        ("webm", "libopus", "webm"),
        ("ipod", "aac", "m4a"),
        ("mp3", "libmp3lame", "mp3"),
        ("flac", "flac", "flac"),
        ("wav", "pcm_s16le", "wav"),
        ("aiff", "pcm_s16be", "aiff"),
        ("adts", "aac", "aac"),
        ("mpegts", "aac", "ts"),
        ("flv", "aac", "flv"),
    ],
)
def test_whole_files_are_known_by_what_they_hold(tmp_path, container, codec, suffix):
    found = media.check(encoded(tmp_path / "unnamed", container, codec))
    assert (found.suffix, found.rate_hz) == (suffix, 48000)
    assert found.duration_s == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize(
    ("container", "codec"), [("webm", "libopus"), ("mp3", "libmp3lame"), ("flac", "flac"), ("wav", "pcm_s16le")]
)
@pytest.mark.parametrize("part", [0.5, 0.9])
def test_a_file_that_ends_before_its_own_header_says_is_truncated(tmp_path, container, codec, part):
    path = encoded(tmp_path / "whole", container, codec)
    payload = path.read_bytes()
    path.write_bytes(payload[: int(part * len(payload))])
    with pytest.raises(RefusedError) as error:
        media.check(path)
    assert error.value.status == "truncated"


@pytest.mark.parametrize(
    ("container", "codec", "bit_rates", "muxer"),
    [
        ("mp3", "libmp3lame", (32_000, 320_000), {"write_xing": "0"}),
        ("mp3", "libmp3lame", (32_000, 320_000), {}),
        ("adts", "aac", (16_000, 256_000), {}),
    ],
    ids=["mp3", "mp3 that was put together", "aac"],
)
def test_bare_frames_are_whole_whatever_length_the_first_ones_suggest(tmp_path, container, codec, bit_rates, muxer):
    parts = [encoded(tmp_path / f"{rate}", container, codec, rate, **muxer).read_bytes() for rate in bit_rates]
    path = tmp_path / "song"
    path.write_bytes(b"".join(parts))
    with av.open(str(path)) as opened:
        assert opened.duration > 12e6  # microseconds
    assert media.check(path).duration_s == pytest.approx(8.0, abs=0.2)


def test_the_silence_that_an_encoder_adds_is_not_missed_at_the_end(tmp_path):
    """It is more than a tenth of a second at 8 kHz; the tag counts it, and FFmpeg takes it away."""
    path = encoded(tmp_path / "song", "mp3", "libmp3lame", 32_000, seconds=0.48, rate_hz=8000)
    assert media.check(path).duration_s == pytest.approx(0.5, abs=0.05)


def test_a_file_that_is_shorter_than_its_site_says_is_truncated(tmp_path):
    (tmp_path / "a").write_bytes(tone(4.0))
    assert media.check(tmp_path / "a", declared_s=4.05).duration_s == pytest.approx(4.0)
    with pytest.raises(RefusedError, match=r"ends at 4\.00 s of 5\.00 s") as error:
        media.check(tmp_path / "a", declared_s=5.0)
    assert error.value.status == "truncated"


def silent_video() -> bytes:
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="webm") as out:
        stream = out.add_stream("libvpx", rate=10)
        stream.width = stream.height = 16
        out.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((16, 16, 3), np.uint8))))
        out.mux(stream.encode(None))
    return buffer.getvalue()


def no_samples() -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        bytes(100_000),
        b"this is no audio " * 1000,
        b"\n <!DOCTYPE html><html>",
        b"<html><audio src='a.mp3'></audio></html>",
        b"RIFF",
        b"ID3\x04\x00\x00\x00\x00\x00\x00" + bytes(500),
        b"\x89PNG\r\n\x1a\n" + bytes(500),
        silent_video(),
        no_samples(),
    ],
    ids=["empty", "zeros", "text", "page", "page with a player", "stump", "tag", "picture", "video", "no samples"],
)
def test_what_holds_no_sound_is_not_audio(tmp_path, payload):
    (tmp_path / "a.mp3").write_bytes(payload)
    with pytest.raises(RefusedError) as error:
        media.check(tmp_path / "a.mp3")
    assert error.value.status == "not_audio"


def test_a_script_that_ffmpeg_would_follow_does_not_open_other_files(tmp_path):
    other, path = encoded(tmp_path / "secret.mp3", "mp3", "libmp3lame"), tmp_path / "a.mp3"
    path.write_text(f"ffconcat version 1.0\nfile {other.name}\n")
    with av.open(str(path)) as unguarded:
        assert unguarded.format.name == "concat"
    with pytest.raises(RefusedError, match="does not decode: Invalid argument") as error:
        media.check(path)
    assert error.value.status == "not_audio"


def test_a_playlist_is_not_audio(tmp_path):
    other, path = encoded(tmp_path / "secret.mp3", "mp3", "libmp3lame"), tmp_path / "a.m3u8"
    path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:4,\n{other}\n#EXT-X-ENDLIST\n")
    with pytest.raises(RefusedError, match="does not decode") as error:
        media.check(path)
    assert error.value.status == "not_audio"


def test_real_files_pass(shared_data):
    files = sorted((shared_data / "madb" / "audio").glob("*.mp3"))
    assert files
    assert {(found.suffix, found.rate_hz) for found in map(media.check, files)} == {("mp3", 48000)}
