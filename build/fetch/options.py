"""What a run of `fetch` can be told."""

from dataclasses import dataclass, fields
from pathlib import Path

from build.errors import InputError
from build.fetch.redact import redact


@dataclass(frozen=True)
class FetchOptions:
    """Options of one run, in the units of their names. Raises InputError for what no run can do.

    `mode` and `only` are explained in `build.fetch.plan`. `pace_per_hour` and `media_gap_s` hold for YouTube's hosts
    alone; `connections` is how many songs of other hosts are fetched at a time, YouTube's go one by one. `stall_s` is
    how long a connection may be silent, `limit_s` how long one song may take in all.
    """

    mode: str = "incremental"
    only: tuple[str, ...] = ()
    pace_per_hour: float = 250.0
    cookies: Path | None = None
    cookies_from_browser: str | None = None
    proxy: str | None = None
    player_client: tuple[str, ...] = ()
    max_bytes: int = 200_000_000
    max_duration_s: float = 3600.0
    min_duration_s: float = 15.0
    media_gap_s: tuple[float, float] = (5.0, 10.0)
    connections: int = 4
    stall_s: float = 20.0
    limit_s: float = 600.0

    def __post_init__(self) -> None:
        if not self.pace_per_hour > 0:
            raise InputError(f"--pace {self.pace_per_hour:g}: allowed is more than 0 songs an hour")
        if self.connections < 1:
            raise InputError(f"{self.connections} connections: at least one is needed")
        if self.cookies and self.cookies_from_browser:
            raise InputError("--cookies and --cookies-from-browser: give one of the two")
        if self.cookies and not self.cookies.is_file():
            raise InputError(f"--cookies {self.cookies}: there is no such file")

    def arguments(self) -> list[str]:
        """The command line that gives these options, without what nobody else may read."""
        said = []
        for option, name, write in _WRITTEN:
            value = getattr(self, name)
            if value != _DEFAULTS[name]:
                said += [option, write(value)]
        return said


_DEFAULTS = {field.name: field.default for field in fields(FetchOptions)}
_WRITTEN = (
    ("--mode", "mode", str),
    ("--only", "only", ",".join),
    ("--pace", "pace_per_hour", lambda pace: f"{pace:g}"),
    ("--cookies", "cookies", str),
    ("--cookies-from-browser", "cookies_from_browser", str),
    ("--proxy", "proxy", redact),
    ("--player-client", "player_client", ",".join),
    ("--max-mb", "max_bytes", lambda size: f"{size / 1e6:g}"),
    ("--max-minutes", "max_duration_s", lambda seconds: f"{seconds / 60:g}"),
)
