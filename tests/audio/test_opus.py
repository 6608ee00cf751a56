"""Opus packets copied into a file of exactly fifteen seconds, at exactly the asked gain."""

import io

import av
import numpy as np
import pytest
import soundfile

from build.audio import opus
from build.audio.excerpt import N_SAMPLES
from build.audio.status import UnusableError
from build.audio.track import Track
from tests.audio.recordings import noise, residual_db, whole, write

HEAD = opus.Head(input_rate_hz=44_100, gain_db=0.0)


@pytest.fixture(scope="module", params=[("opus", 2), ("webm", 2), ("webm", 1)], ids=["ogg", "webm", "mono"])
def track(request, tmp_path_factory):
    """A track of 22 s, with a decode of the whole."""
    ending, n_channels = request.param
    path = write(tmp_path_factory.mktemp("opus") / f"track.{ending}", noise(22 * 48_000, n_channels))
    with Track(path) as opened:
        yield opened, np.repeat(whole(path), 2 // n_channels, axis=0)


def copied(track: Track, start: int, gain_db: float = 0.0) -> bytes:
    packets, place = opus.read_packets(track, start, N_SAMPLES)
    return opus.write(packets, place, start, N_SAMPLES, opus.read_head(track.extradata), gain_db)


def by_pyav(payload: bytes) -> np.ndarray:
    with av.open(io.BytesIO(payload)) as container:
        return np.concatenate([frame.to_ndarray() for frame in container.decode(audio=0)], axis=1)


def by_soundfile(payload: bytes) -> np.ndarray:
    samples, rate_hz = soundfile.read(io.BytesIO(payload), dtype="float32")
    assert rate_hz == 48_000
    return samples.T


@pytest.mark.parametrize("decode", [by_pyav, by_soundfile])
def test_every_decoder_gives_exactly_the_excerpt(track, decode):
    opened, decoded = track
    for start in [0, 1, 312, 20_000, opened.n_samples - N_SAMPLES]:
        heard = decode(copied(opened, start))
        assert heard.shape == (2, N_SAMPLES)
        assert residual_db(heard, decoded[:, start : start + N_SAMPLES]) < -60


@pytest.mark.parametrize("decode", [by_pyav, by_soundfile])
def test_every_decoder_applies_the_gain(track, decode):
    opened, decoded = track
    heard = decode(copied(opened, 100_000, gain_db=-7.5))
    assert residual_db(heard * 10 ** (7.5 / 20), decoded[:, 100_000 : 100_000 + N_SAMPLES]) < -60


def test_packets_are_those_of_the_source(track):
    opened, _ = track
    source = [packet for _, packet in opened.packets_from(0)]
    with av.open(io.BytesIO(copied(opened, 100_000, -3.0))) as container:
        packets = [bytes(packet) for packet in container.demux(audio=0) if packet.size]
    first = source.index(packets[0])
    assert source[first : first + len(packets)] == packets


def test_sound_of_more_than_80_ms_comes_before_the_excerpt(track):
    head = copied(track[0], 100_000)[28:47]
    assert int.from_bytes(head[10:12], "little") >= 3_840


def test_same_excerpt_same_bytes(track):
    assert copied(track[0], 77_777, -1.5) == copied(track[0], 77_777, -1.5)


def test_copy_of_a_copy_keeps_place_and_gain(track, tmp_path):
    opened, decoded = track
    path = tmp_path / "copy.opus"
    path.write_bytes(copied(opened, 50_000, -6.0))
    with Track(path) as again:
        assert again.n_samples == N_SAMPLES
        heard = by_pyav(copied(again, 0, 2.0))
    assert residual_db(heard * 10 ** (4 / 20), decoded[:, 50_000 : 50_000 + N_SAMPLES]) < -60


def test_head_is_read():
    assert opus.read_head(b"OpusHead\1\2\x38\1\x80\xbb\0\0\0\xfe\0") == opus.Head(48_000, -2.0)


@pytest.mark.parametrize(
    "extradata",
    [
        None,
        b"",
        b"OpusHead\1\2\x38\1\x80\xbb\0\0\0\0",
        b"OpusTags" + bytes(11),
        b"OpusHead\1\6\x38\1\x80\xbb\0\0\0\0\1",
    ],
    ids=["none", "empty", "short", "other", "surround"],
)
def test_what_cannot_be_copied_has_no_head(extradata):
    assert opus.read_head(extradata) is None


@pytest.mark.parametrize(
    ("gain_db", "written_db"), [(-1.0, -1.0), (0.001, 0.0), (-0.001, -1 / 256), (2.999, 767 / 256)]
)
def test_gain_is_rounded_down_to_the_steps_of_the_header(gain_db, written_db):
    assert opus.whole_steps_db(gain_db) == written_db


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        (bytes([0 << 3]), 480),  # SILK, 10 ms
        (bytes([3 << 3]), 2_880),  # SILK, 60 ms
        (bytes([13 << 3]), 960),  # hybrid, 20 ms
        (bytes([16 << 3]), 120),  # CELT, 2.5 ms
        (bytes([31 << 3 | 4]), 960),  # CELT, 20 ms, stereo
        (bytes([31 << 3 | 1]), 1_920),  # two frames
        (bytes([31 << 3 | 2]), 1_920),  # two frames of different sizes
        (bytes([17 << 3 | 3, 0xC0 | 6]), 1_440),  # six frames of 5 ms, padded, variable
    ],
)
def test_length_of_a_packet(packet, expected):
    assert opus.n_samples(packet) == expected


@pytest.mark.parametrize("packet", [b"", bytes([3])])
def test_packet_without_its_first_bytes_is_refused(packet):
    with pytest.raises(ValueError, match="an Opus packet without its first byte"):
        opus.n_samples(packet)


@pytest.mark.parametrize(("place", "n_packets"), [(1_000, 800), (0, 700)])
def test_packets_that_do_not_cover_the_excerpt_are_refused(place, n_packets):
    with pytest.raises(UnusableError, match="the packets do not cover the excerpt") as caught:
        opus.write([bytes([31 << 3])] * n_packets, place, 500, N_SAMPLES, HEAD, 0.0)
    assert caught.value.status == "decode_error"
