"""What `globalmood.batches` was asked for, checked."""

from dataclasses import dataclass
from pathlib import Path

from globalmood import EXCERPT_S, RATE_HZ, SPLITS, STATISTICS

CONFIGS = ("all", *STATISTICS)
RANKS = ("exact", "even")


@dataclass(frozen=True)
class Request:
    """The arguments of `globalmood.batches`, and what follows from them. Raises ValueError for one out of range."""

    location: str
    revision: str | None = None
    config: str = "all"
    split: str = "train"
    batch_size: int = 32
    rate_hz: int = RATE_HZ
    mono: bool = False
    shuffle: int | None = None
    epoch: int = 0
    rank: int = 0
    world_size: int = 1
    ranks: str = "exact"
    decode: bool = True

    def __post_init__(self) -> None:
        _one_of("config", self.config, CONFIGS)
        _one_of("split", self.split, SPLITS)
        _one_of("ranks", self.ranks, RANKS)
        _whole("batch_size", self.batch_size, 1)
        _whole("rate_hz", self.rate_hz, 1)
        _whole("shuffle, a seed,", 0 if self.shuffle is None else self.shuffle, 0)
        _whole("epoch", self.epoch, 0)
        _whole("world_size", self.world_size, 1)
        _whole("rank", self.rank, 0, self.world_size - 1)
        if self.revision and "://" in self.location:
            raise ValueError(
                f"revision {self.revision!r} selects a version of a Hub repository, not of {self.location}"
            )

    @property
    def root(self) -> str:
        """The address of the data, for fsspec."""
        if "://" in self.location or Path(self.location).is_dir():
            return self.location
        return f"hf://datasets/{self.location}" + (f"@{self.revision}" if self.revision else "")

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages whose terms stand side by side in a batch."""
        return tuple(STATISTICS) if self.config == "all" else (self.config,)

    @property
    def sound_shape(self) -> tuple[int, int]:
        """Channels and samples of an excerpt."""
        return 1 if self.mono else 2, round(EXCERPT_S * self.rate_hz)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; it is one of {', '.join(allowed)}")


def _whole(name: str, value: int, least: int, most: int | None = None) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        limits = f"from {least} on" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} is {value!r}; it is a whole number {limits}")
