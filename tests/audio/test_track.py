"""Tracks in every container: the right stream, the true length, and stretches that lie where they should."""

import av
import numpy as np
import pytest
import soundfile
from av.stream import Disposition

from build.audio.status import UnusableError
from build.audio.track import FORMATS, Track
from build.fetch.media import SUFFIXES
from tests.audio.recordings import lag, noise, residual_db, sine, whole, write
from tests.audio.recordings import mux as mux_audio

SECONDS = 6
# Ending of the file, rate, channels; 44.1 kHz where that is what the container usually carries.
KINDS = [
    ("webm", 48_000, 2),
    ("opus", 48_000, 2),
    ("opus", 48_000, 6),
    ("m4a", 44_100, 2),
    ("m4a", 48_000, 1),
    ("mp3", 44_100, 2),
    ("mp3", 22_050, 1),
    ("ogg", 44_100, 2),
    ("flac", 96_000, 2),
    ("flac", 44_100, 6),
    ("wav", 48_000, 2),
    ("wav", 8_000, 1),
]


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: f"{kind[0]}-{kind[1]}-{kind[2]}")
def track(request, tmp_path_factory):
    """A track of noise, with the noise and with a decode of the whole file."""
    ending, rate_hz, n_channels = request.param
    samples = noise(SECONDS * rate_hz, n_channels)
    path = write(tmp_path_factory.mktemp("tracks") / f"track.{ending}", samples, rate_hz)
    with Track(path) as opened:
        yield opened, samples, whole(path)


def test_length_is_that_of_a_whole_decode(track):
    opened, samples, decoded = track
    assert opened.n_samples == decoded.shape[1]
    assert abs(opened.n_samples - samples.shape[1]) < 4_608  # codecs fill up their last frame


def test_stretches_equal_a_whole_decode(track):
    opened, _, decoded = track
    count = opened.rate_hz
    last = opened.n_samples - count
    for start in [0, 1, last, *np.random.default_rng(0).integers(0, last, 10)]:
        heard, reference = opened.read(int(start), count), decoded[:, start : start + count]
        if opened.source_format in ("flac/flac", "wav/pcm_s16le", "mp3/mp3", "ogg/vorbis"):
            assert np.array_equal(heard, reference)
        else:
            assert residual_db(heard, reference) < -60


def test_stretches_lie_where_they_were_recorded(track):
    opened, samples, _ = track
    count = opened.rate_hz // 2
    for start in np.random.default_rng(1).integers(0, opened.n_samples - 2 * count, 10):
        heard = opened.read(int(start), count)
        assert lag(heard[0], samples[0, start : start + count]) == 0


def test_what_is_fetched_and_what_is_cut_are_files_of_the_same_formats():
    assert set(FORMATS.split(",")) == set(",".join(SUFFIXES).split(","))


def test_six_channels_keep_their_names(tmp_path):
    with Track(write(tmp_path / "six.flac", noise(48_000, 6))) as track:
        assert track.channels == ("FL", "FR", "FC", "LFE", "BL", "BR")


def test_wav_that_does_not_name_its_channels_is_read_by_their_number(tmp_path):
    soundfile.write(tmp_path / "six.wav", noise(48_000, 6).T, 48_000)
    with Track(tmp_path / "six.wav") as track:
        assert track.channels == ("FL", "FR", "FC", "LFE", "BL", "BR")


@pytest.mark.parametrize(("subtype", "step"), [("PCM_U8", 2**-7), ("PCM_24", 2**-23), ("FLOAT", 0), ("DOUBLE", 0)])
def test_every_sample_type_has_full_scale_one(tmp_path, subtype, step):
    samples = noise(48_000, 2)
    soundfile.write(tmp_path / "track.wav", samples.T, 48_000, subtype=subtype)
    with Track(tmp_path / "track.wav") as track:
        assert np.abs(track.read(100, 40_000) - samples[:, 100:40_100]).max() <= step


@pytest.fixture(scope="module")
def vbr(tmp_path_factory):
    """An mp3 of 10 s at 32 kbit/s and 10 s at 320, with nothing in it that says how long it is."""
    folder = tmp_path_factory.mktemp("vbr")
    parts = []
    for bit_rate in ("32k", "320k"):
        part = folder / f"{bit_rate}.mp3"

        with av.open(str(part), "w", options={"write_xing": "0", "id3v2_version": "0"}) as container:
            stream = container.add_stream("libmp3lame", rate=44_100, layout="stereo")
            stream.codec_context.options = {"b": bit_rate, "reservoir": "0"}
            mux_audio(container, stream, noise(441_000, 2), 44_100)
        parts.append(part.read_bytes())
    path = folder / "vbr.mp3"
    path.write_bytes(b"".join(parts))
    return path


def test_mp3_that_claims_a_wrong_length_is_counted_by_its_packets(vbr):

    with av.open(str(vbr)) as container:
        assert container.duration > 50e6  # microseconds: what the first frames make one believe
    with Track(vbr) as track:
        assert track.n_samples == whole(vbr).shape[1]
        assert track.n_samples / 44_100 == pytest.approx(20, abs=0.1)


def test_stretch_of_an_mp3_that_claims_a_wrong_length(vbr):
    decoded = whole(vbr)
    with Track(vbr) as track:
        assert np.array_equal(track.read(600_000, 44_100), decoded[:, 600_000:644_100])


@pytest.mark.parametrize(("ending", "codec"), [("mkv", "aac"), ("mkv", "flac"), ("ts", "aac"), ("flv", "aac")])
def test_coarse_time_stamps_are_counted(tmp_path, ending, codec):
    path = write(tmp_path / f"track.{ending}", noise(5 * 44_100, 2), 44_100, codec)
    decoded = whole(path)
    with Track(path) as track:
        assert track.counted
        assert track.n_samples == decoded.shape[1]
        assert np.array_equal(track.read(100_001, 44_100), decoded[:, 100_001:144_101])


@pytest.mark.parametrize("ending", ["ogg", "opus"])
def test_chained_ogg_is_one_track(tmp_path, ending):
    links = [write(tmp_path / f"{n}.{ending}", noise(n * 48_000, 2, seed=n)) for n in (2, 5)]
    path = tmp_path / f"chained.{ending}"
    path.write_bytes(b"".join(link.read_bytes() for link in links))
    decoded = whole(path)
    with Track(path) as track:
        assert track.n_samples == decoded.shape[1] > 6 * 48_000
        for start in (0, 80_000, 200_000):
            assert residual_db(track.read(start, 48_000), decoded[:, start : start + 48_000]) < -60


def test_single_late_time_stamps_do_not_move_the_sound(tmp_path):

    samples = noise(10 * 48_000, 2)
    good = write(tmp_path / "good.m4a", samples)
    path = tmp_path / "late.m4a"
    with av.open(str(good)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.audio[0])
        for number, packet in enumerate(source.demux(audio=0)):
            if packet.size:
                packet.stream = stream
                packet.pts += 448 * (number % 7 == 3)
                packet.dts = packet.pts
                target.mux(packet)
    decoded = whole(good)
    with Track(path) as track:
        for start in range(50_000, 300_000, 10_007):
            assert residual_db(track.read(start, 48_000), decoded[:, start : start + 48_000]) < -60


def test_missing_packets_are_a_decode_error(tmp_path):

    good = write(tmp_path / "good.webm", noise(10 * 48_000, 2))
    path = tmp_path / "hole.webm"
    with av.open(str(good)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.audio[0])
        for number, packet in enumerate(source.demux(audio=0)):
            if packet.size and not 200 <= number < 205:
                packet.stream = stream
                target.mux(packet)
    with Track(path, counted=True) as track:
        track.read(0, 100_000)
        with pytest.raises(UnusableError, match=r"0\.100 s of sound are missing inside the excerpt") as caught:
            track.read(150_000, 100_000)
    assert caught.value.status == "decode_error"


@pytest.mark.parametrize(
    ("first", "second", "heard_hz"),
    [
        (Disposition.default, Disposition(0), 400),
        (Disposition(0), Disposition.default, 3_000),
        (Disposition.default | Disposition.dub, Disposition.original, 3_000),
        (Disposition(0), Disposition(0), 400),
    ],
    ids=["first is default", "second is default", "second is the original", "neither is flagged"],
)
def test_of_two_audio_streams_the_original_or_else_the_default_is_heard(tmp_path, first, second, heard_hz):
    path = tmp_path / "two.mkv"
    with av.open(str(path), "w", options={"default_mode": "passthrough"}) as container:
        streams = [container.add_stream("flac", rate=48_000, layout="stereo") for _ in range(2)]
        for stream, disposition in zip(streams, (first, second), strict=True):
            stream.disposition = disposition
        for stream, hz in zip(streams, (400, 3_000), strict=True):
            mux_audio(container, stream, sine(3, 0.5, n_channels=2, hz=hz), 48_000)
    with Track(path) as track:
        heard = track.read(48_000, 48_000)[0]
    assert np.argmax(np.abs(np.fft.rfft(heard))) == heard_hz


def test_cover_art_does_not_matter(tmp_path):

    path = tmp_path / "cover.mp3"
    samples = noise(3 * 48_000, 2)
    with av.open(str(path), "w") as container:
        audio = container.add_stream("libmp3lame", rate=48_000, layout="stereo")
        cover = container.add_stream("mjpeg", rate=1)
        cover.width = cover.height = 64
        cover.pix_fmt = "yuvj420p"
        container.mux(cover.encode(av.VideoFrame(64, 64, "yuvj420p")))
        container.mux(cover.encode(None))
        mux_audio(container, audio, samples, 48_000)
    with Track(path) as track:
        assert lag(track.read(50_000, 48_000)[0], samples[0, 50_000:98_000]) == 0


def test_video_without_sound_has_no_audio(tmp_path):

    path = tmp_path / "mute.mp4"
    with av.open(str(path), "w") as container:
        video = container.add_stream("mpeg4", rate=10)
        video.width = video.height = 64
        for _ in range(5):
            container.mux(video.encode(av.VideoFrame(64, 64, "yuv420p")))
        container.mux(video.encode(None))
    with pytest.raises(UnusableError, match="the file holds no audio stream") as caught:
        Track(path)
    assert caught.value.status == "no_audio"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<!DOCTYPE html><html><body>Sign in to confirm that you are not a bot</body></html>",
        np.random.default_rng(0).bytes(300_000),
        b"#EXTM3U\n#EXTINF:10,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n",
        b"ffconcat version 1.0\nfile other.mp3\n",
    ],
    ids=["empty", "html", "random", "playlist", "concat"],
)
@pytest.mark.parametrize("ending", ["mp3", "webm"])
def test_what_is_no_audio_is_a_decode_error(tmp_path, content, ending):
    path = tmp_path / f"track.{ending}"
    path.write_bytes(content)
    with pytest.raises(UnusableError, match=r"cannot be opened as audio|nothing that can be decoded") as caught:
        Track(path)
    assert caught.value.status == "decode_error"


def truncated(folder, ending, share):
    content = write(folder / f"good.{ending}", noise(5 * 48_000, 2)).read_bytes()
    path = folder / f"cut.{ending}"
    path.write_bytes(content[: int(len(content) * share)])
    return path


@pytest.mark.parametrize("ending", ["webm", "opus", "mp3", "ogg", "flac", "wav"])
@pytest.mark.parametrize("share", [0.5, 0.97])
def test_truncated_track_is_as_long_as_what_is_left(tmp_path, ending, share):
    path = truncated(tmp_path, ending, share)
    decoded = whole(path)
    with Track(path) as track:
        assert track.n_samples == decoded.shape[1]
        assert residual_db(track.read(60_000, track.n_samples - 60_000), decoded[:, 60_000:]) < -60


@pytest.mark.parametrize(("ending", "share"), [("m4a", 0.97), ("webm", 0.0005), ("flac", 0.00005)])
def test_truncated_track_without_its_index_or_header_is_a_decode_error(tmp_path, ending, share):
    with pytest.raises(UnusableError, match="cannot be opened as audio") as caught:
        Track(truncated(tmp_path, ending, share))
    assert caught.value.status == "decode_error"


@pytest.mark.parametrize(
    ("n_channels", "rate_hz", "message"),
    [(1, 4_000, "1 channels at 4000 Hz; allowed are"), (9, 48_000, "9 channels at 48000 Hz; allowed are at most 8")],
)
def test_rates_and_channels_outside_the_range_are_refused(tmp_path, n_channels, rate_hz, message):
    soundfile.write(tmp_path / "odd.wav", noise(40_000, n_channels).T, rate_hz)
    with pytest.raises(UnusableError, match=message) as caught:
        Track(tmp_path / "odd.wav")
    assert caught.value.status == "decode_error"


def test_name_that_looks_like_a_protocol_is_a_file(tmp_path):
    with Track(write(tmp_path / "concat:-x.flac", noise(48_000, 2))) as track:
        assert track.n_samples == 48_000


def test_stretch_late_in_two_hours_of_silence(tmp_path):
    path = tmp_path / "long.flac"
    with soundfile.SoundFile(path, "w", 8_000, 1, "PCM_16") as file:
        for _ in range(2 * 6):
            file.write(np.zeros(8_000 * 600, np.int16))
    with Track(path) as track:
        assert track.n_samples == 7_200 * 8_000
        assert not track.read(50_000_000, 120_000).any()
