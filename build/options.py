"""What a build can be told."""

from dataclasses import dataclass, field
from pathlib import Path

from build.audio import ClipOptions
from build.charts import PER_COUNTRY
from build.fetch import FetchOptions
from build.sources.columns import Mapping


@dataclass(frozen=True)
class BuildOptions:
    """Every option of a build, with its default.

    `limit` keeps the first songs of the list, after the split, which knows all of them. With `charts`, a folder of
    weekly chart files, songs are drawn from them by the rule `exclusive` instead of read from the source's list.
    `exclude_raters` names checks of `build.analysis.raters`: who fails one is left out of ratings and means.
    With `dask`, the address of a cluster (`build.cluster`), excerpts are cut and shards written there.
    `urls` says where the songs of a published dataset are (`build.hub.rebuild`).
    """

    source: str = "sample"
    out: Path = Path("globalmood")
    audio: bool = True
    seed: int = 0
    workers: int = 2
    dask: str | None = None
    limit: int | None = None
    mapping: Mapping = field(default_factory=dict)
    charts: Path | None = None
    exclusive: str = "recording"
    per_country: int = PER_COUNTRY
    exclude_raters: tuple[str, ...] = ()
    urls: Path | None = None
    fetch: FetchOptions = field(default_factory=FetchOptions)
    clip: ClipOptions = field(default_factory=ClipOptions)
