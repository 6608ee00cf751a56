"""A look-ahead limiter: FFmpeg's `alimiter`, run through PyAV."""

import av
import numpy as np

RATE_HZ = 48_000
CHUNK = 4_096  # samples filtered at a time: few enough to stay in the processor's cache
CEILING_DBFS = -1.0
# `level=disabled`: no make-up gain to 0 dB afterwards; `latency=1`: the look-ahead's delay is taken out again.
SETTINGS = f"limit={CEILING_DBFS}dB:level=disabled:latency=1"


def limit(samples: np.ndarray, gain_db: float) -> np.ndarray:
    """Samples of shape (2, n) at 48 kHz, raised by `gain_db` and kept at or below -1 dBFS: same shape, same timing."""
    source, sink, _graph = _chain(gain_db)
    out = np.empty(samples.shape, np.float32)
    filled = 0
    for start in range(0, samples.shape[1], CHUNK):
        source.push(_frame(samples[:, start : start + CHUNK], start))
        filled = _drain(sink, out, filled)
    source.push(None)
    _drain(sink, out, filled)
    return out


def _chain(gain_db: float) -> tuple[av.filter.context.FilterContext, av.filter.context.FilterContext, av.filter.Graph]:
    """Where samples go in and where they come out; the graph must outlive both."""
    graph = av.filter.Graph()
    source = graph.add("abuffer", f"sample_rate={RATE_HZ}:sample_fmt=dbl:channel_layout=stereo:time_base=1/{RATE_HZ}")
    limiter = graph.add("alimiter", f"{SETTINGS}:level_in={10 ** (gain_db / 20)}")
    sink = graph.add("abuffersink")
    source.link_to(limiter)
    limiter.link_to(sink)
    graph.configure()
    return source, sink, graph


def _frame(samples: np.ndarray, place: int) -> av.AudioFrame:
    frame = av.AudioFrame("dbl", "stereo", samples.shape[1])
    frame.sample_rate, frame.pts = RATE_HZ, place
    _interleaved(frame)[:] = samples.T
    return frame


def _interleaved(frame: av.AudioFrame) -> np.ndarray:
    return np.frombuffer(frame.planes[0], np.float64, 2 * frame.samples).reshape(-1, 2)


def _drain(sink: av.filter.context.FilterContext, out: np.ndarray, filled: int) -> int:
    while filled < out.shape[1]:
        try:
            frame = sink.pull()
        except BlockingIOError:
            break
        out[:, filled : filled + frame.samples] = _interleaved(frame).T
        filled += frame.samples
    return filled
