"""A cached track as a line of samples: which stream is heard, at what rate, how long it is, and any stretch of it.

Sample 0 is the first one that a decode of the whole file gives out. Where a sample lies is read from time stamps:
containers whose ticks are whole fractions of a sample say it exactly, Matroska and WebM say it in milliseconds,
which for Opus are rounded to the codec's grid of 2.5 ms. All other files, and those whose time stamps have holes,
are counted from their beginning: slower, and as exact.
"""

from collections import deque
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np

from build.audio import ogg
from build.audio.samples import HoleError, Stretch
from build.audio.status import UnusableError

# Demuxers that may read a cached file. Playlist formats are left out: they open other files and addresses.
FORMATS = "matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mp3,aac,ogg,flac,wav,aiff,mpegts,flv"
CONTAINERS = {"matroska,webm": "webm", "mov,mp4,m4a,3gp,3g2,mj2": "mp4"}  # by FFmpeg's names
RATES_HZ = range(8_000, 192_001)
MAX_CHANNELS = 8  # more than 7.1 is no music file, and memory must stay bounded
PREROLL = 16_384  # samples decoded and thrown away before a stretch: 14 mp3 frames (ten fill its reservoir), and
#                   0.34 s at 48 kHz, where Opus asks for 0.08 s (RFC 7845, section 4.6)
AFTER = 8_192  # samples decoded after a stretch, so that one late time stamp cannot end it early
OPUS_GRID = 120  # samples at 48 kHz: 2.5 ms, of which every Opus packet lasts a multiple (RFC 6716, section 2.1.4)
MAX_GAP_S = 0.015  # of time stamps: less than a packet of 20 ms, more than the half packet that some are stamped late
TAIL_PACKETS = 64  # of the end of a track, decoded to see where its last sample lies
TAIL_S = 1.0  # before the end that the container claims, tried where a seek beyond it finds nothing
FAR_TICKS = 1 << 40  # beyond the end of any track
FIRST_PACKETS = 200  # that may pass before something decodes


class Track:
    """An open track; a context manager. `counted` tells it to distrust time stamps and to decode from the beginning.

    `n_samples`, `rate_hz` and `channels` (FFmpeg's names, as FL, FR, FC, LFE, BL) are those of the decoded sound.
    Raises UnusableError: `no_audio`, or `decode_error` with FFmpeg's words.
    """

    def __init__(self, path: Path, counted: bool = False) -> None:
        self._path = path
        self._open()
        first = self._first_frame()
        self.rate_hz, self._layout = first.sample_rate, first.layout.name
        self.channels = _channel_names(first.layout)
        if self.rate_hz not in RATES_HZ or len(self.channels) > MAX_CHANNELS:
            found = f"{len(self.channels)} channels at {self.rate_hz} Hz"
            raise UnusableError("decode_error", f"{found}; allowed are at most {MAX_CHANNELS}, at 8 to 192 kHz")
        self._origin, self._first_samples = first.pts, first.samples
        tick = self._stream.time_base * self.rate_hz
        self._tick_samples, self._whole_ticks = float(tick), tick.numerator == 1
        is_stamped = first.pts is not None and (self._whole_ticks or self._stream.codec_context.codec.name == "opus")
        self.counted = counted or not is_stamped or self._is_chained()
        self.n_samples = self._count() if self.counted else self._end()

    def __enter__(self) -> "Track":
        return self

    def __exit__(self, *_: object) -> None:
        self._container.close()

    @property
    def source_format(self) -> str:
        """Container and codec, as `mp4/aac`; FFmpeg reads WebM and Matroska as one."""
        container = self._container.format.name
        return f"{CONTAINERS.get(container, container)}/{self._stream.codec_context.codec.canonical_name}"

    @property
    def extradata(self) -> bytes | None:
        """What the container says to the decoder: an OpusHead for Opus."""
        return self._stream.codec_context.extradata

    def read(self, start: int, count: int) -> np.ndarray:
        """Decode `count` samples from sample `start`: float32, shape (channels, count), full scale +-1.

        Raises HoleError where time stamps do not join up or the decoder gives less than they promise.
        """
        if self.counted:
            return self._read_counted(start, count)
        stretch = Stretch(len(self.channels), PREROLL + 2 * AFTER + count)
        for frame in self._frames_from(start - PREROLL):
            place = self._place(frame.pts)
            if place >= start + count + AFTER or stretch.full:
                break
            stretch.append(frame, place)
        return stretch.cut(start, count)

    def packets_from(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Packets that last beyond sample `start`, with the place where the sound of each begins, as it is stamped.

        The first ones of a track may lie before sample 0: decoders drop what they give. Raises HoleError.
        """
        for packet in self._seek(start):
            if packet.size:
                yield self._place(packet.pts), bytes(packet)

    def _read_counted(self, start: int, count: int) -> np.ndarray:
        stretch = Stretch(len(self.channels), count + AFTER)
        place, stamps_s = 0, []
        for frame in self._frames_from(0):
            if place + frame.samples > start:
                stretch.append(frame, place)
                if frame.pts is not None:
                    stamps_s.append(float(frame.pts * self._stream.time_base) - place / self.rate_hz)
            place += frame.samples
            if place >= start + count:
                break
        gap_s = max(np.diff(stamps_s), default=0)
        if gap_s > MAX_GAP_S:
            raise UnusableError("decode_error", f"{gap_s:.3f} s of sound are missing inside the excerpt")
        return stretch.cut(start, count)

    def _open(self) -> None:
        try:
            self._container = av.open(f"file:{self._path}", options={"format_whitelist": FORMATS})
        except av.FFmpegError as error:
            raise UnusableError("decode_error", f"cannot be opened as audio: {error.strerror}") from error
        if not self._container.streams.audio:
            raise UnusableError("no_audio", "the file holds no audio stream")
        self._stream = max(self._container.streams.audio, key=_preference)

    def _reopen(self) -> None:
        self._container.close()
        self._open()

    def _first_frame(self) -> av.AudioFrame:
        for number, packet in enumerate(self._packets()):
            for frame in _decoded(packet):
                return frame
            if number == FIRST_PACKETS:
                break
        raise UnusableError("decode_error", "the audio stream holds nothing that can be decoded")

    def _packets(self) -> Iterator[av.Packet]:
        try:
            yield from self._container.demux(self._stream)
        except av.FFmpegError:
            return  # a file cut short

    def _frames_from(self, start: int) -> Iterator[av.AudioFrame]:
        for packet in self._seek(start):
            yield from map(self._unchanged, _decoded(packet))

    def _seek(self, start: int) -> Iterator[av.Packet]:
        """Packets from that of sample `start` on, or a little before; below 1 all, as if just opened."""
        ticks = None
        if start > 0:
            ticks = self._origin + round(start / self._tick_samples)
            try:
                self._container.seek(ticks, stream=self._stream)
            except av.FFmpegError as error:
                raise HoleError(f"no way to sample {start}: {error.strerror}") from error
        else:
            self._reopen()
        for packet in self._packets():
            if ticks is None or packet.pts is None or packet.pts + (packet.duration or 0) >= ticks:
                yield packet

    def _unchanged(self, frame: av.AudioFrame) -> av.AudioFrame:
        if frame.layout.name != self._layout or frame.sample_rate != self.rate_hz:
            raise UnusableError("decode_error", "the stream changes its rate or its channels on the way")
        return frame

    def _place(self, ticks: int | None) -> int:
        """Where a time stamp lies on the line of samples."""
        if ticks is None:
            raise HoleError("a time stamp is missing")
        place = (ticks - self._origin) * self._tick_samples
        if self._whole_ticks or ticks == self._origin:
            return round(place)
        return round((place - self._first_samples) / OPUS_GRID) * OPUS_GRID + self._first_samples

    def _is_chained(self) -> bool:
        """Whether an Ogg file holds several streams one after the other, each with time stamps from 0."""
        return self._container.format.name == "ogg" and ogg.begins_again(self._path)

    def _count(self) -> int:
        return sum(frame.samples for frame in self._frames_from(0))

    def _end(self) -> int:
        """The place after the last sample, from the last packets: found by seeking, or else by reading to the end."""
        claimed_end = (self._stream.start_time or 0) + (self._stream.duration or 0)
        for ticks in (FAR_TICKS, claimed_end - round(TAIL_S / self._stream.time_base)):
            try:
                self._container.seek(ticks, stream=self._stream)
            except av.FFmpegError:
                continue
            end = self._tail_end()
            if end is not None:
                return end
        self._reopen()
        return self._tail_end() or 0

    def _tail_end(self) -> int | None:
        packets = deque((packet for packet in self._packets() if packet.size), maxlen=TAIL_PACKETS)
        self._stream.codec_context.flush_buffers()
        end = None
        for packet in [*packets, None]:
            try:
                for frame in self._stream.codec_context.decode(packet):
                    end = self._place(frame.pts) + frame.samples
            except av.FFmpegError:
                continue  # a file cut short ends in the middle of a packet
        return end


def _decoded(packet: av.Packet) -> list[av.AudioFrame]:
    try:
        return packet.decode()
    except av.FFmpegError:
        return []  # as players do; what is missing shows in the count


def _preference(stream: av.AudioStream) -> tuple[bool, bool, int]:
    """The original language before a dubbed one, the default before others, the first before later ones."""
    flags = stream.disposition
    return bool(flags & flags.original), bool(flags & flags.default), -stream.index


def _channel_names(layout: av.AudioLayout) -> tuple[str, ...]:
    names = tuple(channel.name for channel in layout.channels)
    usual = {1: "mono", 2: "stereo", 6: "5.1"}  # of files that do not say which channel is which
    if "NONE" in names and len(names) in usual:
        return _channel_names(av.AudioLayout(usual[len(names)]))
    return names
