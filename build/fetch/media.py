"""Is a fetched file whole, and does it sound? The light check that decides whether a song is had.

All packets are read, so that a file cut short is found against the length that its own header declares, and the first
and the last second are decoded. What decodes sample for sample is the excerpt stage's question.
"""

from dataclasses import dataclass
from pathlib import Path

import av
import av.error

from build.fetch import mp3
from build.fetch.taxonomy import RefusedError

WHOLE = 0.98  # least part of the declared length that must be there: containers round and pad lengths
SLACK_S = 0.1  # and this for the shortest
EDGE_S = 1.0  # decoded at each end
PAGES = (b"<!doctype html", b"<html", b"<head", b"<?xml")

# The containers that are taken for audio, by FFmpeg's names, with a suffix for each. Nothing else is opened: FFmpeg
# also reads playlists and scripts, which would make it open other files.
SUFFIXES = {
    "matroska,webm": "webm",
    "mov,mp4,m4a,3gp,3g2,mj2": "m4a",
    "mp3": "mp3",
    "ogg": "ogg",
    "flac": "flac",
    "wav": "wav",
    "aac": "aac",
    "aiff": "aiff",
    "mpegts": "ts",
    "flv": "flv",
}
GUARD = {"format_whitelist": ",".join(SUFFIXES), "protocol_whitelist": "file"}


@dataclass(frozen=True)
class Media:
    """What a file holds: `duration_s` is where its last packet ends."""

    suffix: str
    codec: str
    rate_hz: int
    duration_s: float


def check(path: Path, declared_s: float | None = None) -> Media:
    """The sound in the file at `path`, of which the site says that it lasts `declared_s` seconds (None: says nothing).

    Raises RefusedError: not_audio or truncated.
    """
    head = _head(path)
    if head.lstrip().lower().startswith(PAGES):
        raise RefusedError(
            "not_audio", f"a web page came where a sound file was due: {head[:80].decode(errors='replace')!r}"
        )
    _check_riff(head, path.stat().st_size)
    try:
        with av.open(str(path), mode="r", options=GUARD, metadata_errors="replace") as container:
            return _check(container, path, declared_s)
    except (av.error.FFmpegError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RefusedError("not_audio", f"the file does not decode: {reason}") from error


def _check(container: av.container.InputContainer, path: Path, declared_s: float | None) -> Media:
    if not container.streams.audio:
        raise RefusedError("not_audio", f"a {container.format.long_name} file without sound")
    stream = container.streams.audio[0]
    end_s = _last_packet_end_s(container, stream)
    for length_s in (declared_s, _declared_s(container, stream, path)):
        if length_s and end_s < WHOLE * length_s - SLACK_S:
            raise RefusedError("truncated", f"the sound ends at {end_s:.2f} s of {length_s:.2f} s")
    for start_s in (0.0, max(0.0, end_s - EDGE_S)):
        _decode(container, stream, start_s)
    context = stream.codec_context
    return Media(SUFFIXES[container.format.name], context.name, context.sample_rate, end_s)


def _declared_s(container: av.container.InputContainer, stream: av.AudioStream, path: Path) -> float | None:
    """How long the file itself says that it is. Of bare frames FFmpeg gives a length too: a guess from the first."""
    if container.format.name == "aac":
        return None
    if container.format.name == "mp3":
        with open(path, "rb") as file:
            tagged_s = mp3.declared_s(file, stream.codec_context.sample_rate)
        return tagged_s and min(tagged_s, _known_s(container, stream) or tagged_s)  # FFmpeg's is without padding
    return _known_s(container, stream)


def _known_s(container: av.container.InputContainer, stream: av.AudioStream) -> float | None:
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    return container.duration / av.time_base if container.duration else None


def _last_packet_end_s(container: av.container.InputContainer, stream: av.AudioStream) -> float:
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
            return
    if not samples:
        raise RefusedError("not_audio", f"no sound decodes at {start_s:.1f} s")


def _check_riff(head: bytes, size: int) -> None:
    """FFmpeg reads a WAV file as far as it goes; its header says how far that should be (0 or all ones: not known)."""
    declared = int.from_bytes(head[4:8], "little")
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE" and declared != 0xFFFFFFFF and size < WHOLE * declared:
        raise RefusedError("truncated", f"{size} bytes of the {declared + 8} that its header declares")


def _head(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(512)
