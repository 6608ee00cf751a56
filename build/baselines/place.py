"""Where a baseline finds its songs and keeps its work."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """A built folder, the cache of stages, the device of models (cpu, cuda), and processes or a cluster for stages."""

    folder: Path
    cache: Path
    device: str = "cpu"
    workers: int = 2
    dask: str | None = None
