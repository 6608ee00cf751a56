"""Ogg pages as RFC 3533 has them, read back by hand and by FFmpeg's demuxer, which checks the checksums."""

import struct

import pytest

from build.audio.ogg import begins_again, checksum, paged, stream

POLYNOMIAL = 0x04C11DB7


def checksum_bit_by_bit(data: bytes) -> int:
    crc = 0
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ POLYNOMIAL * (crc >> 31)) & 0xFFFFFFFF
    return crc


@pytest.mark.parametrize("data", [b"", b"\0", b"\1", b"OggS", bytes(range(256))])
def test_checksum_is_that_of_the_polynomial(data):
    assert checksum(data) == checksum_bit_by_bit(data)


def test_page_has_the_fields_of_the_standard():
    first, last = stream([([b"abc"], 0), ([b"x" * 255, b"y" * 300], 960)]).split(b"OggS")[1:]
    version, flags, granule, serial, number, crc, n_segments = struct.unpack("<BBqIIIB", first[:23])
    assert (version, flags, granule, number, n_segments) == (0, 2, 0, 0, 1)
    assert first[23:] == b"\3abc"
    assert crc == checksum_bit_by_bit(b"OggS" + first[:18] + bytes(4) + first[22:])
    _, flags, granule, same_serial, number, _, n_segments = struct.unpack("<BBqIIIB", last[:23])
    assert (flags, granule, same_serial, number, n_segments) == (4, 960, serial, 1, 4)
    assert last[23:27] == bytes([255, 0, 255, 45])  # a packet of 255 bytes needs an empty segment to end it


def test_serial_number_follows_the_content():
    serials = {stream([([packet], 0), ([b"end"], 1)])[14:18] for packet in (b"a", b"b", b"a")}
    assert len(serials) == 2


def test_pages_hold_at_most_fifty_packets():
    pages = paged([b"x"] * 120, list(range(1, 121)))
    assert [(len(packets), granule) for packets, granule in pages] == [(50, 50), (50, 100), (20, 120)]


def test_pages_hold_at_most_255_segments():
    pages = paged([b"x" * 25_500] * 4, [1, 2, 3, 4])  # 101 segments each
    assert [len(packets) for packets, _ in pages] == [2, 2]


def test_packet_larger_than_a_page_is_refused():
    with pytest.raises(ValueError, match="258 segments in an Ogg page; 255 are allowed"):
        stream([([b"x" * 65_600], 0), ([b"end"], 1)])


@pytest.mark.parametrize("chunk", [7, 1 << 20])
def test_chained_files_are_told_from_single_ones(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr("build.audio.ogg.CHUNK", chunk)
    link = stream([([b"head"], 0), ([b"tags"], 0), ([b"sound"], 1)])
    first_page = link[: link.index(b"OggS", 1)]
    grouped = first_page + link  # both begin before either goes on
    for name, content, chained in [("one", link, False), ("two", link * 2, True), ("grouped", grouped, False)]:
        (tmp_path / name).write_bytes(content)
        assert begins_again(tmp_path / name) is chained
