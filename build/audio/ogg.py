"""Ogg pages (RFC 3533), as far as one logical stream of packets shorter than a page needs them."""

import struct
import zlib
from pathlib import Path

BEGIN, END = 2, 4  # header type flags of the first and the last page
PAGE = b"OggS\0"  # how a page starts: its mark and the version
CHUNK = 1 << 20  # bytes read at a time
MAX_SEGMENTS = 255  # in a page, of 255 bytes
MAX_PACKETS = 50  # in a page: a second of 20 ms packets
REVERSED_BITS = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))

Page = tuple[list[bytes], int]  # the packets of a page, and its granule position: where the last of them ends


def paged(packets: list[bytes], granules: list[int]) -> list[Page]:
    """Share packets, each with the granule position of its end, out among pages."""
    result: list[Page] = []
    room = 0
    for packet, granule in zip(packets, granules, strict=True):
        needed = len(packet) // 255 + 1
        if needed > room or len(result[-1][0]) == MAX_PACKETS:
            result.append(([], 0))
            room = MAX_SEGMENTS
        result[-1] = ([*result[-1][0], packet], granule)
        room -= needed
    return result


def stream(contents: list[Page]) -> bytes:
    """A whole logical stream. Its serial number is taken from its content. Raises ValueError for a page too large."""
    serial = zlib.crc32(b"".join(packet for packets, _ in contents for packet in packets))
    flags = [BEGIN, *[0] * (len(contents) - 2), END]
    return b"".join(
        _page(packets, granule, flag, serial, number)
        for number, ((packets, granule), flag) in enumerate(zip(contents, flags, strict=True))
    )


def _page(packets: list[bytes], granule: int, flags: int, serial: int, number: int) -> bytes:
    lacing = b"".join(b"\xff" * (len(packet) // 255) + bytes([len(packet) % 255]) for packet in packets)
    if len(lacing) > MAX_SEGMENTS:
        raise ValueError(f"{len(lacing)} segments in an Ogg page; {MAX_SEGMENTS} are allowed")
    head = struct.pack("<4sBBqIII", b"OggS", 0, flags, granule, serial, number, 0)
    page = bytearray(head + bytes([len(lacing)]) + lacing + b"".join(packets))
    page[22:26] = struct.pack("<I", checksum(page))
    return bytes(page)


def begins_again(path: Path) -> bool:
    """Whether a page that begins a stream comes after one that does not: a chained file (RFC 3533, section 4)."""
    inside, tail = False, b""
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            text = tail + chunk
            inside_at = 0 if inside else text.find(PAGE + b"\0")
            inside = inside_at >= 0
            if inside and text.find(PAGE + bytes([BEGIN]), inside_at) >= 0:
                return True
            tail = chunk[-len(PAGE) :]
    return False


def checksum(page: bytes | bytearray) -> int:
    """The CRC of RFC 3533: polynomial 0x04c11db7, highest bit first, starting from 0.

    zlib's CRC has the same polynomial with the bits of every byte, and of the result, the other way round.
    """
    crc = zlib.crc32(page.translate(REVERSED_BITS), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{crc:032b}"[::-1], 2)
