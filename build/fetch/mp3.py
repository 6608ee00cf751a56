"""How long an mp3 file says that it is: in a tag that some encoders put in place of the first frame's sound.

The tags are Xing (of variable bit rate), Info (the same of constant bit rate) and VBRI (of Fraunhofer's encoder).
Where there is none, the file says nothing, and what FFmpeg gives for its length is a guess from its first frames.
"""

import os
import struct
from typing import BinaryIO

ID3_BYTES = 10  # of the header of an ID3v2 tag, and of its footer (ID3v2.4.0, sections 3.1 and 3.4)
ID3_HAS_FOOTER = 0x10
XING_PLACES = (13, 21, 36)  # in the frame: after its header and side information, by MPEG version and channels
VBRI_PLACE = 36
XING_HAS_COUNT = 1
READ_BYTES = 56  # up to the end of any tag's count
MPEG1_HZ = 32_000  # the lowest rate of MPEG-1, above all those of MPEG-2 and 2.5


def declared_s(file: BinaryIO, rate_hz: int) -> float | None:
    """Seconds of sound at `rate_hz` that the tag of an mp3 file, open at its beginning, declares; None without one."""
    _skip_id3(file)
    count = _frame_count(file.read(READ_BYTES).ljust(READ_BYTES, b"\0"))
    frame_samples = 1152 if rate_hz >= MPEG1_HZ else 576
    return count * frame_samples / rate_hz if count else None


def _skip_id3(file: BinaryIO) -> None:
    while len(head := file.read(ID3_BYTES)) == ID3_BYTES and head.startswith(b"ID3"):
        size = sum((byte & 0x7F) << shift for byte, shift in zip(head[6:], (21, 14, 7, 0), strict=True))
        file.seek(size + (ID3_BYTES if head[5] & ID3_HAS_FOOTER else 0), os.SEEK_CUR)
    file.seek(-len(head), os.SEEK_CUR)


def _frame_count(frame: bytes) -> int:
    """The number of frames that a tag in `frame` declares; 0 where it does not."""
    for place in XING_PLACES:
        name, flags, count = struct.unpack_from(">4sII", frame, place)
        if name in (b"Xing", b"Info"):
            return count if flags & XING_HAS_COUNT else 0
    name, count = struct.unpack_from(">4s10xI", frame, VBRI_PLACE)
    return count if name == b"VBRI" else 0
