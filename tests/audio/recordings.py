"""Recordings for the tests, made on the spot: known sound in every container that a fetched track may come in."""

from pathlib import Path

import av
import numpy as np
import soundfile

# Container and codec of a track by the end of its name; vorbis is written by libsndfile, all others by PyAV.
CODECS = {"webm": "libopus", "opus": "libopus", "m4a": "aac", "mp3": "libmp3lame", "flac": "flac", "wav": "pcm_s16le"}
LAYOUTS = {1: "mono", 2: "stereo", 6: "5.1"}
# aac_pns 0: without noise substitution, which the decoder draws anew each time, a decode can be compared with another.
OPTIONS = {"aac": {"aac_pns": "0", "b": "192k"}, "libmp3lame": {"b": "192k"}}


def write(path: Path, samples: np.ndarray, rate_hz: int = 48_000, codec: str | None = None, **options: str) -> Path:
    """Encode samples of shape (channels, n), full scale +-1, in the container that the name of `path` ends with."""
    if path.suffix == ".ogg":
        soundfile.write(path, samples.T, rate_hz, format="OGG", subtype="VORBIS")
        return path
    codec = codec or CODECS[path.suffix[1:]]
    with av.open(str(path), "w", options={"fflags": "+bitexact"} | options) as container:
        add_stream(container, samples, rate_hz, codec)
    return path


def add_stream(container, samples: np.ndarray, rate_hz: int, codec: str) -> None:
    """Encode a whole audio stream into an open container."""
    stream = container.add_stream(codec, rate=rate_hz, layout=LAYOUTS[len(samples)])
    stream.codec_context.options = OPTIONS.get(codec, {"b": f"{len(samples) * 96}k"})
    mux(container, stream, samples, rate_hz)


def mux(container, stream, samples: np.ndarray, rate_hz: int) -> None:
    """Encode samples into a stream, to its end."""
    for start in range(0, samples.shape[1], 65_536):
        part = np.ascontiguousarray(samples[:, start : start + 65_536], np.float32)
        frame = av.AudioFrame.from_ndarray(part, format="fltp", layout=LAYOUTS[len(samples)])
        frame.sample_rate, frame.pts = rate_hz, start
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def noise(n_samples: int, n_channels: int = 2, seed: int = 0, level: float = 0.1) -> np.ndarray:
    """Gaussian noise of a given standard deviation, low-passed a little so that lossy codecs keep its shape."""
    rough = np.random.default_rng(seed).standard_normal((n_channels, n_samples + 3)) * level * 2
    return ((rough[:, :-3] + rough[:, 1:-2] + rough[:, 2:-1] + rough[:, 3:]) / 4).astype(np.float32)


def sine(seconds: float, amplitude: float = 1.0, rate_hz: int = 48_000, n_channels: int = 1, hz: float = 997.0):
    """A sine of shape (channels, n)."""
    wave = amplitude * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate_hz)) / rate_hz)
    return np.repeat(wave[None], n_channels, axis=0)


def whole(path: Path) -> np.ndarray:
    """Every sample that PyAV decodes from the first audio stream of a file, shape (channels, n), as floats.

    The reference of the tests: no seeking, FFmpeg's own conversion to floats; packets that do not decode are left out.
    """
    parts: list[np.ndarray] = []
    to_floats = av.AudioResampler("fltp")
    with av.open(str(path)) as container:
        for packet in container.demux(audio=0):
            try:
                frames = packet.decode()
            except av.FFmpegError:
                continue
            parts += [part.to_ndarray() for frame in frames for part in to_floats.resample(frame)]
    return np.concatenate(parts, axis=1)


def lag(heard: np.ndarray, reference: np.ndarray, reach: int = 480) -> int:
    """How many samples later than in `reference` the sound of `heard` comes, both of shape (n,): cross-correlation."""
    size = 2 ** (len(heard) + reach).bit_length()
    product = np.fft.rfft(heard, size) * np.conj(np.fft.rfft(reference, size))
    correlation = np.fft.irfft(product, size)
    return int(np.argmax(np.concatenate([correlation[-reach:], correlation[: reach + 1]]))) - reach


def residual_db(heard: np.ndarray, reference: np.ndarray) -> float:
    """The energy of the difference, against that of the reference."""
    difference = np.mean((heard.astype(float) - reference) ** 2)
    return float(10 * np.log10(difference / np.mean(reference.astype(float) ** 2) + 1e-30))
