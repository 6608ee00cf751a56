"""Small Opus previews of excerpts, for players in a page. PyAV brings the encoder."""

import io
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import av

RATE_HZ = 48_000
BIT_RATE = 32_000  # bits per second, on average: 15 s take about 60 kB
MEDIA_TYPE = "audio/ogg"
AT_A_TIME = 16  # sound files in memory


def preview(payload: bytes) -> bytes:
    """A sound file of any kind as Ogg Opus, stereo, at 32 kbit/s; the same input gives the same bytes.

    Raises av.FFmpegError where `payload` is no sound file.
    """
    target = io.BytesIO()
    with (
        av.open(io.BytesIO(payload)) as source,
        av.open(target, "w", format="ogg", options={"fflags": "+bitexact"}) as sink,
    ):
        stream = sink.add_stream("libopus", rate=RATE_HZ, layout="stereo", options={"b": str(BIT_RATE)})
        resampler = av.AudioResampler(format="flt", layout="stereo", rate=RATE_HZ)
        for frame in source.decode(audio=0):
            for part in resampler.resample(frame):
                sink.mux(stream.encode(part))
        for part in resampler.resample(None):
            sink.mux(stream.encode(part))
        sink.mux(stream.encode(None))
    return target.getvalue()


def previews(excerpts: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """(song id, preview) of every (song id, sound file), in order; encoded in threads, few at a time in memory."""
    waiting = iter(excerpts)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        while batch := list(islice(waiting, AT_A_TIME)):
            yield from pool.map(lambda excerpt: (excerpt[0], preview(excerpt[1])), batch)
