"""Songs as files: five containers whose bytes depend on the samples alone, with no date, serial or version in them."""

import io
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
import soundfile
from av.audio.stream import AudioStream
from av.codec.codec import UnknownCodecError

from build.synthetic.sound import Signal

BITEXACT = {"fflags": "+bitexact"}
BIT_RATE = 128_000
BLOCK = 48_000  # samples handed to libvorbis at a time: whole songs overflow its stack


class Format(NamedTuple):
    """A kind of file: PyAV's names of container and encoder, the encoder's sample format and its quickest setting."""

    container: str
    encoder: str
    sample_format: str
    options: dict[str, str]


FORMATS = {
    "flac": Format("flac", "flac", "s16", {"compression_level": "2"}),
    "mp3": Format("mp3", "libmp3lame", "fltp", {"compression_level": "9"}),
    "webm": Format("webm", "libopus", "flt", {"compression_level": "3"}),
    "m4a": Format("ipod", "aac", "fltp", {"aac_coder": "fast"}),
}
OGG = "ogg"


def can_write(extension: str) -> bool:
    """Whether this machine has the encoder of a format (`flac`, `ogg`, `mp3`, `webm`, `m4a`)."""
    if extension == OGG:
        return "OGG" in soundfile.available_formats()
    try:
        av.Codec(FORMATS[extension].encoder, "w")
    except UnknownCodecError:
        return False
    return True


def write_media(path: Path, samples: Signal, rate_hz: int) -> None:
    """Write samples of shape (1 or 2, n), within -1 to 1, in the format that the extension of `path` names."""
    if path.suffix == f".{OGG}":
        path.write_bytes(_ogg(samples, rate_hz))
        return
    kind = FORMATS[path.suffix[1:]]
    with av.open(str(path), "w", format=kind.container, options=BITEXACT) as container:
        layout = "stereo" if len(samples) == 2 else "mono"
        options = {**kind.options, "flags": "+bitexact"}
        stream = container.add_stream(kind.encoder, rate=rate_hz, options=options, layout=layout)
        stream.codec_context.format = kind.sample_format
        stream.codec_context.thread_count = 1
        if kind.sample_format != "s16":
            stream.bit_rate = BIT_RATE * len(samples) // 2
        _encode(container, stream, av.AudioFrame.from_ndarray(_packed(samples, kind), kind.sample_format, layout))


def _encode(container: av.container.OutputContainer, stream: AudioStream, frame: av.AudioFrame) -> None:
    frame.sample_rate = stream.rate
    frame.pts = 0
    for packet in [*stream.encode(frame), *stream.encode(None)]:
        container.mux(packet)


def _packed(samples: Signal, kind: Format) -> np.ndarray:
    """The samples as the encoder takes them: planar floats, interleaved floats or interleaved 16-bit integers."""
    if kind.sample_format == "fltp":
        return np.ascontiguousarray(samples)
    interleaved = samples.T.reshape(1, -1)
    return np.rint(interleaved * 32767).astype(np.int16) if kind.sample_format == "s16" else interleaved


def _ogg(samples: Signal, rate_hz: int) -> bytes:
    """Ogg Vorbis by libvorbis, in a container written anew, since libsndfile numbers its streams at random."""
    encoded, plain = io.BytesIO(), io.BytesIO()
    with soundfile.SoundFile(encoded, "w", rate_hz, len(samples), format="OGG", subtype="VORBIS") as file:
        for start in range(0, samples.shape[1], BLOCK):
            file.write(samples[:, start : start + BLOCK].T)
    encoded.seek(0)
    with av.open(encoded) as source, av.open(plain, "w", format="ogg", options=BITEXACT) as target:
        stream = target.add_stream_from_template(source.streams.audio[0])
        for packet in source.demux(audio=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    return plain.getvalue()
