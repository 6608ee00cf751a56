import io

import av
import numpy as np
import pytest
import soundfile

from build.report.previews import preview, previews
from tests.report.made import tone


def decoded(payload: bytes) -> tuple[np.ndarray, int]:
    with av.open(io.BytesIO(payload)) as file:
        frames = [frame.to_ndarray() for frame in file.decode(audio=0)]
        stream = file.streams.audio[0]
        assert stream.codec_context.name in ("opus", "libopus")
        return np.concatenate(frames, axis=1), stream.rate


@pytest.mark.parametrize(("rate_hz", "channels"), [(48_000, 2), (44_100, 1)])
def test_a_preview_is_opus_of_the_same_length_and_pitch(rate_hz, channels):
    sound, rate = decoded(preview(tone(2.0, rate_hz, channels)))
    assert rate == 48_000
    assert sound.shape[1] == pytest.approx(96_000, abs=960)  # a frame of 20 ms
    spectrum = np.abs(np.fft.rfft(sound[0, 24_000:72_000] * np.hanning(48_000)))
    assert spectrum.argmax() == pytest.approx(440, abs=1)


def test_a_preview_takes_less_than_64_kbit_a_second():
    noise = np.random.default_rng(0).normal(0, 0.1, (48_000 * 15, 2))
    target = io.BytesIO()
    soundfile.write(target, noise, 48_000, format="FLAC")
    assert len(preview(target.getvalue())) * 8 / 15 < 64_000


def test_the_same_sound_gives_the_same_bytes():
    assert preview(tone()) == preview(tone())


def test_previews_keep_order_and_ids():
    made = list(previews((f"s{i}", tone(0.1 + 0.1 * i)) for i in range(4)))
    assert [song_id for song_id, _ in made] == ["s0", "s1", "s2", "s3"]
    lengths = [decoded(payload)[0].shape[1] for _, payload in made]
    assert lengths == sorted(lengths)


def test_what_is_no_sound_raises():
    with pytest.raises(av.FFmpegError):
        preview(b"no sound")
