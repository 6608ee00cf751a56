import io

import pytest

from build.fetch.mp3 import declared_s


def count(number: int) -> bytes:
    return number.to_bytes(4, "big")


def frame(tag: bytes, place: int = 36) -> bytes:
    return b"\xff\xfb\x90\x00" + bytes(place - 4) + tag + bytes(400)


def id3(body: bytes = bytes(257), footer: bool = False) -> bytes:
    """A tag; its size is written in sevens of bits."""
    size = bytes([0, 0, len(body) >> 7, len(body) & 0x7F])
    head = b"ID3\x04\x00" + (b"\x10" if footer else b"\x00") + size
    return head + body + (b"3DI" + head[3:] if footer else b"")


def declared(payload: bytes, rate_hz: int = 48_000) -> float | None:
    return declared_s(io.BytesIO(payload), rate_hz)


XING = frame(b"Xing" + count(1) + count(1000))  # 1000 frames of 1152 samples are 24 s at 48 kHz


@pytest.mark.parametrize("name", [b"Xing", b"Info"])
@pytest.mark.parametrize(
    ("place", "rate_hz", "seconds"),
    [(36, 48_000, 24.0), (21, 32_000, 36.0), (21, 24_000, 24.0), (13, 8_000, 72.0)],
    ids=["MPEG-1 stereo", "MPEG-1 mono", "MPEG-2 stereo", "MPEG-2.5 mono"],
)
def test_the_count_of_frames_gives_the_length(name, place, rate_hz, seconds):
    assert declared(frame(name + count(0b1111) + count(1000), place), rate_hz) == pytest.approx(seconds)


def test_fraunhofers_tag_has_its_count_behind_version_delay_quality_and_bytes():
    assert declared(frame(b"VBRI\x00\x01\x0a\x31\x00\x4b" + count(999_999) + count(1000))) == pytest.approx(24.0)


@pytest.mark.parametrize(
    "before",
    [id3(), id3(footer=True), id3() + id3(bytes(3)), id3(bytes(26) + XING)],
    ids=["one", "footer", "two", "lie"],
)
def test_the_first_frame_comes_after_all_id3_tags(before):
    assert declared(before + XING) == pytest.approx(24.0)
    assert declared(before + frame(b"")) is None


@pytest.mark.parametrize(
    "payload",
    [
        frame(b"Xing" + count(0b1110) + count(1000)),
        frame(b"Xing" + count(1) + count(0)),
        frame(b"LAME"),
        frame(b"Xing", place=40),
        b"\xff\xfb\x90\x00",
        b"ID3",
        b"",
    ],
    ids=["no count", "count of 0", "no tag", "elsewhere", "cut", "stump", "empty"],
)
def test_a_file_that_does_not_say_it_has_no_declared_length(payload):
    assert declared(payload) is None
