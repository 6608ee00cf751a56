"""Is a fetched file whole, and is it sound? The light check that decides whether a song is had.

All packets are read, so that a file cut short is found against the length that its own header declares, and the first
and the last seconds are decoded. What decodes sample for sample is the excerpt stage's question.
"""

from dataclasses import dataclass
from pathlib import Path

import av
import av.error

WHOLE = 0.98  # least part of the declared length that must be there: containers round and pad lengths
EDGE_S = 1.0  # decoded at each end

SUFFIXES = {
    "matroska,webm": "webm",
    "mov,mp4,m4a,3gp,3g2,mj2": "m4a",
    "mp3": "mp3",
    "ogg": "ogg",
    "flac": "flac",
    "wav": "wav",
}


class NotAudioError(Exception):
    """The file holds no sound that can be decoded."""


class TruncatedError(Exception):
    """The file ends before the length that it or its site declares."""


@dataclass(frozen=True)
class Media:
    """What a file holds: `duration_s` is where its last packet ends."""

    suffix: str
    codec: str
    rate_hz: int
    duration_s: float


def check(path: Path, declared_s: float | None = None) -> Media:
    """The sound in the file at `path`, of which the site says that it lasts `declared_s` seconds (None: says nothing).

    Raises NotAudioError or TruncatedError.
    """
    if (head := _head(path)).lstrip().lower().startswith((b"<!doctype html", b"<html", b"<head", b"<?xml")):
        raise NotAudioError(f"the server answered a web page where a sound file was due: {_title(head)}")
    try:
        with av.open(str(path), mode="r", metadata_errors="replace") as container:
            return _check(container, declared_s)
    except (av.error.FFmpegError, ValueError) as error:
        raise NotAudioError(f"the file does not decode: {getattr(error, 'strerror', None) or error}") from error


def _check(container: av.container.InputContainer, declared_s: float | None) -> Media:
    if not container.streams.audio:
        raise NotAudioError(f"a {container.format.long_name} file without sound")
    stream = container.streams.audio[0]
    end_s = _last_packet_end(container, stream)
    for length_s in (declared_s, _declared(container, stream)):
        if length_s and end_s < WHOLE * length_s - 0.1:
            raise TruncatedError(f"the sound ends at {end_s:.2f} s of {length_s:.2f} s")
    for start_s in (0.0, max(0.0, end_s - EDGE_S)):
        _decode(container, stream, start_s)
    suffix = SUFFIXES.get(container.format.name, "media")
    return Media(suffix, stream.codec_context.name, stream.codec_context.sample_rate, end_s)


def _declared(container: av.container.InputContainer, stream: av.AudioStream) -> float | None:
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    return container.duration / av.time_base if container.duration else None


def _last_packet_end(container: av.container.InputContainer, stream: av.AudioStream) -> float:
    end, origin = 0, stream.start_time or 0
    for packet in container.demux(stream):
        if packet.pts is not None:
            end = max(end, packet.pts - origin + (packet.duration or 0))
    return float(end * stream.time_base) if stream.time_base else 0.0


def _decode(container: av.container.InputContainer, stream: av.AudioStream, start_s: float) -> None:
    container.seek(int(start_s * av.time_base))
    samples = 0
    for frame in container.decode(stream):
        samples += frame.samples
        if samples >= EDGE_S * frame.sample_rate:
            break
    if not samples:
        raise NotAudioError(f"no sound decodes at {start_s:.1f} s")


def _head(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(512)


def _title(head: bytes) -> str:
    return repr(head[:60].decode("utf-8", "replace"))
