"""Excerpts of Opus tracks without re-encoding: their packets, in a new Ogg Opus file (RFC 7845) of exactly 15 s.

The packets begin 0.32 s before the excerpt, so that a decoder has settled when it starts; `pre-skip` has players drop
that part. The granule position of the last page ends the excerpt on the sample, and the output gain of the header,
which players must apply, sets its level.
"""

import math
import struct
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

from build.audio import ogg
from build.audio.samples import agreed_origin
from build.audio.status import UnusableError
from build.audio.track import Track

RATE_HZ = 48_000  # of the Opus time line, whatever was encoded
SETTLING = 15_360  # samples, 0.32 s: four times what RFC 7845, section 4.6, asks for; what then still differs from a
#                    decode from the beginning is 120 dB below the sound, after 0.08 s it is 50 dB
GAIN_STEPS = 256  # of the output gain, in a dB
VENDOR = b"GlobalMood"
STEREO = 2
# Milliseconds of one frame by the configuration in the first five bits of a packet (RFC 6716, section 3.1).
FRAME_MS = [10, 20, 40, 60] * 3 + [10, 20] * 2 + [2.5, 5, 10, 20] * 4


@dataclass(frozen=True)
class Head:
    """What the identification header of a source says that its packets need again."""

    input_rate_hz: int
    gain_db: float


def read_head(extradata: bytes | None) -> Head | None:
    """Parse an OpusHead (RFC 7845, section 5.1); None where its packets are not one mono or stereo stream."""
    if extradata is None or len(extradata) < 19 or not extradata.startswith(b"OpusHead"):
        return None
    channels, _, input_rate_hz, gain, family = struct.unpack("<xBHIhB", extradata[8:19])
    if family != 0 or channels > STEREO:
        return None
    return Head(input_rate_hz, gain / GAIN_STEPS)


def whole_steps_db(gain_db: float) -> float:
    """The largest output gain that can be written and is no more than `gain_db`."""
    return math.floor(gain_db * GAIN_STEPS) / GAIN_STEPS


def n_samples(packet: bytes) -> int:
    """How long a packet lasts, in samples at 48 kHz (RFC 6716, section 3.1). Raises ValueError for an empty one."""
    if not packet or (packet[0] & 3 == 3 and len(packet) < 2):
        raise ValueError("an Opus packet without its first byte")
    n_frames = (1, 2, 2, packet[1] & 63 if packet[0] & 3 == 3 else 0)[packet[0] & 3]
    return int(FRAME_MS[packet[0] >> 3] * RATE_HZ / 1000) * n_frames


def read_packets(track: Track, start: int, count: int) -> tuple[list[bytes], int]:
    """The packets of `count` samples from `start`, with some before and after, and where the first of them begins.

    Raises HoleError where the time stamps do not join up.
    """
    packets: list[bytes] = []
    offsets: list[int] = []
    length = 0
    for place, packet in track.packets_from(start - 2 * SETTLING):
        if place >= start + count + SETTLING:
            break
        packets.append(packet)
        offsets.append(place - length)
        length += n_samples(packet)
    return packets, agreed_origin(offsets)


def write(packets: list[bytes], place: int, start: int, count: int, head: Head, gain_db: float) -> bytes:
    """An Ogg Opus file of `count` samples from sample `start`, out of packets of which the first begins at `place`.

    `gain_db` is added to the source's own output gain. The channel count says stereo: decoders make mono packets
    dual mono. Raises UnusableError `decode_error` where the packets do not cover the excerpt.
    """
    places = list(accumulate((n_samples(packet) for packet in packets), initial=place))
    first = max(bisect_right(places, start - SETTLING) - 1, 0)
    last = bisect_left(places, start + count)
    if places[first] > start or last == len(places):
        raise UnusableError("decode_error", "the packets do not cover the excerpt")
    pre_skip = start - places[first]
    gain = round((head.gain_db + gain_db) * GAIN_STEPS)
    identification = struct.pack("<8sBBHIhB", b"OpusHead", 1, STEREO, pre_skip, head.input_rate_hz, gain, 0)
    tags = struct.pack("<8sI", b"OpusTags", len(VENDOR)) + VENDOR + struct.pack("<I", 0)
    granules = [min(end - places[first], pre_skip + count) for end in places[first + 1 : last + 1]]
    audio = ogg.paged(packets[first:last], granules)
    return ogg.stream([([identification], 0), ([tags], 0), *audio])
