"""The stage that embeds every song's sound with a frozen encoder."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch

from build.analysis.correlation import Floats
from build.baselines.encoders import Encoder, load_encoder, weights_of
from build.baselines.soundfiles import windows
from build.baselines.sounds import Group, sounds
from build.baselines.stage import Job, Stage, run_stage

MOST_WINDOWS = 12  # a song: two minutes of ten seconds each; longer tracks are sampled evenly
EMBEDDINGS = pa.schema(
    [
        pa.field("song_id", pa.string(), nullable=False),
        pa.field("window", pa.int16(), nullable=False),
        pa.field("vector", pa.list_(pa.float32()), nullable=False),
    ]
)


def embed_songs(
    groups: Sequence[Group], encoder: str, device: str, cache_folder: Path, workers: int, dask: str | None = None
) -> dict[str, Floats]:
    """Song -> vectors (windows, dimensions) of its sound, kept as Parquet in the cache.

    Windows cover the sound evenly, one for each length of the encoder's window that it begins.
    """
    load_encoder(encoder, device)  # what is wrong with it is told before any process starts, each of which loads it
    settings = {"version": 1, "encoder": encoder, "weights": weights_of(encoder), "device": device}
    table = run_stage(Stage("embeddings", _of_group, settings), groups, cache_folder, workers, dask)
    vectors: dict[str, list[Floats]] = {}
    rows = table.sort_by([("song_id", "ascending"), ("window", "ascending")])
    for song_id, vector in zip(rows["song_id"].to_pylist(), rows["vector"].to_numpy(zero_copy_only=False), strict=True):
        vectors.setdefault(song_id, []).append(vector)
    return {song_id: np.stack(parts).astype(np.float64) for song_id, parts in vectors.items()}


@cache
def _loaded(encoder: str, device: str) -> Encoder:
    """One model a process; one thread each, since the processes share the processors."""
    torch.set_num_threads(1)
    return load_encoder(encoder, device)


def _of_group(job: Job) -> pa.Table:
    encoder = _loaded(job.settings["encoder"], job.settings["device"])
    rows = []
    for sound in sounds(job.group, encoder.rate_hz):
        count = min(-(-len(sound.samples) // encoder.window), MOST_WINDOWS)
        vectors = encoder.encode(windows(sound.samples, encoder.window, count))
        if not np.isfinite(vectors).all():
            raise ValueError(f"{sound.song_id}: what the encoder makes of this sound is no number; take the song out")
        rows += [{"song_id": sound.song_id, "window": n, "vector": vector} for n, vector in enumerate(vectors)]
    return pa.Table.from_pylist(rows, EMBEDDINGS)
