"""A cached track as a line of samples: which stream is heard, at what rate, how long it is, and any stretch of it.

Sample 0 is the first one that a decode of the whole file gives out. Where a sample lies is read from the time
stamps of its packet: containers whose ticks are whole fractions of a sample say it exactly, Matroska and WebM say
it in milliseconds, which for Opus are rounded to the codec's grid of 2.5 ms. Anything else, and every file whose
time stamps turn out to have holes, is counted from its beginning instead, slower and as exact.
"""

from collections import deque
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np

from build.audio.status import UnusableError

# Demuxers that may read a cached file. Playlist formats are left out: they open other files and addresses.
FORMATS = "matroska,webm,mov,mp4,m4a,3gp,mp3,aac,ogg,flac,wav,w64,aiff,caf,mpegts"
RATES_HZ = range(8_000, 192_001)
PREROLL = 16_384  # samples decoded and thrown away before a stretch: 14 mp3 frames (ten fill its reservoir), and
#                   0.34 s at 48 kHz, where Opus asks for 0.08 s (RFC 7845, section 4.6)
OPUS_GRID = 120  # samples at 48 kHz: 2.5 ms, of which every Opus packet lasts a multiple (RFC 6716, section 2.1.4)
TAIL_PACKETS = 32  # of the end of a track, decoded to see where its last sample lies
TAIL_S = 1.0  # before the end that the container claims, tried where a seek beyond it finds nothing
FAR_TICKS = 1 << 40  # beyond the end of any track
FIRST_PACKETS = 200  # that may pass before something decodes


class HoleError(Exception):
    """The time stamps of a stretch do not join up."""


class Track:
    """An open track. `counted` tells it to distrust time stamps and to decode from the beginning each time.

    `n_samples`, `rate_hz` and `channels` (FFmpeg's names, as FL, FR, FC, LFE, BL) are those of the decoded sound.
    Raises UnusableError: `no_audio`, or `decode_error` with FFmpeg's words.
    """

    def __init__(self, path: Path, counted: bool = False) -> None:
        self.path = path
        self._open()
        first = self._first_frame()
        self._layout, self.rate_hz = first.layout.name, first.sample_rate
        self.channels = _channel_names(first)
        if self.rate_hz not in RATES_HZ:
            raise UnusableError("decode_error", f"{self.rate_hz} Hz is outside 8 to 192 kHz")
        self._origin, self._first_samples = first.pts or 0, first.samples
        ticks_a_sample = 1 / (self.stream.time_base * self.rate_hz)
        self._is_opus = self.stream.codec_context.codec.name == "opus"
        self.counted = counted or first.pts is None or not (ticks_a_sample.denominator == 1 or self._is_opus)
        self._exact = ticks_a_sample.denominator == 1
        self.n_samples = self._count() if self.counted else self._end()

    def _open(self) -> None:
        try:
            self.container = av.open(f"file:{self.path}", options={"format_whitelist": FORMATS})
        except av.FFmpegError as error:
            raise UnusableError("decode_error", f"cannot be opened as audio: {error.strerror}") from error
        if not self.container.streams.audio:
            raise UnusableError("no_audio", "the file holds no audio stream")
        self.stream = max(self.container.streams.audio, key=_preference)

    @property
    def source_format(self) -> str:
        """Container and codec, as `webm/opus`."""
        container = self.container.format.name.split(",")
        return f"{container[-1] if 'webm' in container else container[0]}/{self.stream.codec_context.codec.name}"

    def close(self) -> None:
        """Release the file."""
        self.container.close()

    def read(self, start: int, count: int) -> np.ndarray:
        """Decode `count` samples from sample `start`: float32, shape (channels, count), full scale +-1.

        Raises HoleError where the time stamps leave a gap, UnusableError `decode_error` where the decoder gives up.
        """
        out = np.empty((len(self.channels), count), np.float32)
        filled = 0
        for at, frame in self._placed(start):
            first, last = max(start - at, 0), min(frame.samples, start + count - at)
            if last <= 0 or first >= frame.samples:
                continue
            if at + first != start + filled:
                raise HoleError(f"sample {start + filled} is followed by sample {at + first}")
            out[:, filled : filled + last - first] = _values(frame)[:, first:last]
            filled += last - first
            if filled == count:
                return out
        raise HoleError(f"{count} samples were due from sample {start}, the decoder gave {filled}")

    def _placed(self, start: int) -> Iterator[tuple[int, av.AudioFrame]]:
        """Frames with the place of their first sample, from the pre-roll before `start` to the end."""
        if self.counted or start <= PREROLL:
            self.close()
            self._open()
            skip_before = None
        else:
            skip_before = self._origin + round((start - PREROLL) / (self.rate_hz * self.stream.time_base))
            self.container.seek(skip_before, stream=self.stream)
        at = 0
        for frame in self._frames(skip_before):
            if frame.layout.name != self._layout or frame.sample_rate != self.rate_hz:
                raise UnusableError("decode_error", "the stream changes its rate or its channels on the way")
            yield (at if self.counted else self._place(frame)), frame
            at += frame.samples

    def _frames(self, skip_before: int | None = None) -> Iterator[av.AudioFrame]:
        for packet in self.container.demux(self.stream):
            if skip_before is not None and packet.pts is not None and packet.pts < skip_before:
                continue
            try:
                yield from packet.decode()
            except av.FFmpegError:
                continue  # as players do: a hole shows in the count

    def _place(self, frame: av.AudioFrame) -> int:
        if frame.pts is None:
            raise HoleError("a frame without a time stamp")
        place = (frame.pts - self._origin) * self.stream.time_base * self.rate_hz
        if self._exact or place < self._first_samples / 2:
            return round(place)
        return round((place - self._first_samples) / OPUS_GRID) * OPUS_GRID + self._first_samples

    def _first_frame(self) -> av.AudioFrame:
        for number, packet in enumerate(self.container.demux(self.stream)):
            try:
                frames = packet.decode()
            except av.FFmpegError as error:
                if number > FIRST_PACKETS:
                    raise UnusableError("decode_error", f"nothing decodes: {error.strerror}") from error
                continue
            if frames:
                return frames[0]
        raise UnusableError("decode_error", "the audio stream holds nothing that can be decoded")

    def _count(self) -> int:
        self.close()
        self._open()
        return sum(frame.samples for frame in self._frames())

    def _end(self) -> int:
        """The place after the last sample, from the last packets, found by seeking and else by reading to the end."""
        claimed = self.stream.duration or 0
        near = self._origin + claimed - round(TAIL_S / self.stream.time_base)
        for ticks in (FAR_TICKS, near):
            try:
                self.container.seek(ticks, stream=self.stream)
            except av.FFmpegError:
                continue
            end = self._tail_end()
            if end is not None:
                return end
        self.close()
        self._open()
        return self._tail_end() or 0

    def _tail_end(self) -> int | None:
        packets = deque(self._packets(), maxlen=TAIL_PACKETS)
        self.stream.codec_context.flush_buffers()
        end = None
        for packet in [*packets, None]:
            try:
                for frame in self.stream.codec_context.decode(packet):
                    end = self._place(frame) + frame.samples
            except av.FFmpegError:
                continue  # a file cut short ends in the middle of a packet
        return end

    def _packets(self) -> Iterator[av.Packet]:
        try:
            yield from (packet for packet in self.container.demux(self.stream) if packet.size)
        except av.FFmpegError:
            return  # a file cut short


def _preference(stream: av.AudioStream) -> tuple[bool, bool, int]:
    """The original language before a dubbed one, the default before others, the first before later ones."""
    flags = stream.disposition
    return bool(flags & flags.original), bool(flags & flags.default), -stream.index


def _channel_names(frame: av.AudioFrame) -> tuple[str, ...]:
    names = tuple(channel.name for channel in frame.layout.channels)
    usual = {1: "mono", 2: "stereo", 6: "5.1"}  # of files that do not say which channel is which
    if "NONE" in names and len(names) in usual:
        return tuple(channel.name for channel in av.AudioLayout(usual[len(names)]).channels)
    return names


SCALES = {"u1": 1 / 128, "i2": 1 / 32_768, "i4": 1 / 2_147_483_648, "f4": 1.0, "f8": 1.0}
TYPES = {"u8": "u1", "s16": "i2", "s32": "i4", "flt": "f4", "dbl": "f8"}


def _values(frame: av.AudioFrame) -> np.ndarray:
    """The samples of a frame, shape (channels, samples), float with full scale +-1."""
    kind = TYPES[frame.format.name.removesuffix("p")]
    values = np.stack(
        [np.frombuffer(plane, kind, plane.buffer_size // np.dtype(kind).itemsize) for plane in frame.planes]
    )
    n_channels = len(frame.layout.channels)
    if frame.format.is_planar:
        values = values[:, : frame.samples]
    else:
        values = values[0, : frame.samples * n_channels].reshape(frame.samples, n_channels).T
    if kind == "f4":
        return values
    return ((values - 128.0) if kind == "u1" else values) * np.float32(SCALES[kind])
