"""What a run of `fetch` can be told."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FetchOptions:
    """Options of one run, in the units of their names.

    `pace_per_hour` and `media_gap_s` hold for YouTube's hosts alone; `workers` is how many songs of other hosts are
    fetched at a time, YouTube's are fetched one by one. `stall_s` is how long a connection may be silent, `limit_s` how
    long one song may take in all.
    """

    mode: str = "incremental"
    only: tuple[str, ...] = ()
    pace_per_hour: float = 250.0
    media_gap_s: tuple[float, float] = (5.0, 10.0)
    workers: int = 4
    cookies: Path | None = None
    cookies_from_browser: str | None = None
    proxy: str | None = None
    player_client: tuple[str, ...] = ()
    max_bytes: int = 200_000_000
    min_duration_s: float = 15.0
    max_duration_s: float = 3600.0
    stall_s: float = 20.0
    limit_s: float = 600.0
