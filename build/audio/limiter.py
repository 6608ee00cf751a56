"""A look-ahead limiter: FFmpeg's `alimiter`, run through PyAV."""

import av
import numpy as np

RATE_HZ = 48_000
CEILING_DBFS = -1.0
# `level=disabled`: no make-up gain to 0 dB afterwards; `latency=1`: the look-ahead's delay is taken out again.
SETTINGS = f"limit={CEILING_DBFS}dB:level=disabled:latency=1"


def limit(samples: np.ndarray, gain_db: float) -> np.ndarray:
    """Raise samples of shape (2, n) at 48 kHz by `gain_db` and keep them at or below -1 dBFS: float32, in place and time."""
    graph = av.filter.Graph()
    layout = f"sample_rate={RATE_HZ}:sample_fmt=dbl:channel_layout=stereo:time_base=1/{RATE_HZ}"
    source = graph.add("abuffer", layout)
    limiter = graph.add("alimiter", f"{SETTINGS}:level_in={10 ** (gain_db / 20)}")
    sink = graph.add("abuffersink")
    source.link_to(limiter)
    limiter.link_to(sink)
    graph.configure()
    source.push(_frame(samples))
    source.push(None)
    return _drain(sink, samples.shape)


def _frame(samples: np.ndarray) -> av.AudioFrame:
    packed = np.ascontiguousarray(samples.T, dtype=np.float64).reshape(1, -1)
    frame = av.AudioFrame.from_ndarray(packed, format="dbl", layout="stereo")
    frame.sample_rate = RATE_HZ
    frame.pts = 0
    return frame


def _drain(sink: av.filter.context.FilterContext, shape: tuple[int, ...]) -> np.ndarray:
    out = np.empty(shape, np.float32)
    filled = 0
    while filled < shape[1]:
        frame = sink.pull()
        out[:, filled : filled + frame.samples] = frame.to_ndarray().reshape(-1, shape[0]).T
        filled += frame.samples
    return out
