"""`run`: every stage in order, and the options of a build, which the single stages share.

What is slow to import is imported inside the commands, here and in the other verbs: a help page should not wait for it.
"""

from pathlib import Path
from typing import Annotated

import typer

from build.cli import WORK, app, excerpt, fetch
from build.errors import InputError
from build.storage import at, is_remote
from build.terminal import console
from build.workspace import open_workspace

Source = Annotated[
    str,
    typer.Option(
        "--source",
        help="`sample`, `upstream`, a folder (or s3://...) laid out like the release, or one that was built.",
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out", parser=at, metavar="FOLDER", help="The built folder, replaced as a whole; or s3://..., as for --work."
    ),
]
OUT = Path("globalmood")
NoAudio = Annotated[bool, typer.Option("--no-audio", help="Songs, terms and ratings only; every `audio` is null.")]
Seed = Annotated[int, typer.Option("--seed", help="Draws the excerpts' windows, and the synthetic sample.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Build the first N songs of the list only.")]
Column = Annotated[
    list[str] | None,
    typer.Option("--column", metavar="ROLE=HEADER", help="Name a column that is not recognised; may be repeated."),
]
Urls = Annotated[
    Path | None,
    typer.Option("--urls", help="Of a published source: a song list, or a source folder, with the songs' `url`s."),
]
Exclude = Annotated[
    str,
    typer.Option(
        "--exclude-raters", metavar="CHECKS", help="Leave out raters who fail one of: straightlining,few,inconsistent."
    ),
]


@app.command()
def run(
    source: Source = "sample",
    out: Out = OUT,
    no_audio: NoAudio = False,
    seed: Seed = 0,
    workers: excerpt.WorkerCount = 2,
    dask: excerpt.Dask = None,
    limit: Limit = None,
    column: Column = None,
    exclude_raters: Exclude = "",
    urls: Urls = None,
    loudness: excerpt.Loudness = -5.0,
    policy: excerpt.Policy = None,
    codec: excerpt.Codec = "flac",
    mode: fetch.Mode = fetch.DEFAULTS.mode,
    only: fetch.Only = None,
    pace: fetch.Pace = fetch.DEFAULTS.pace_per_hour,
    cookies: fetch.Cookies = None,
    cookies_from_browser: fetch.CookiesFromBrowser = None,
    proxy: fetch.Proxy = None,
    player_client: fetch.PlayerClient = None,
    max_mb: fetch.MaxMb = fetch.DEFAULTS.max_bytes / 1e6,
    max_minutes: fetch.MaxMinutes = fetch.DEFAULTS.max_duration_s / 60,
    work: excerpt.AnyWork = WORK,
) -> None:
    """Build the dataset from its source lists into a folder that `load_dataset` reads.

    Example: `python -m build run --source my_songs/ --no-audio --out ../my_dataset`
    """
    from build.audio import ClipOptions
    from build.hub.rebuild import open_build
    from build.options import BuildOptions
    from build.sources.columns import parse_mapping

    options = BuildOptions(
        source=source,
        out=out,
        audio=not no_audio,
        seed=seed,
        workers=workers,
        dask=dask,
        limit=limit,
        mapping=parse_mapping(column or []),
        exclude_raters=checks(exclude_raters),
        urls=urls,
        fetch=fetch.fetch_options(
            mode, only, pace, cookies, cookies_from_browser, proxy, player_client, max_mb, max_minutes
        ),
        clip=ClipOptions(seed, loudness, policy, codec),
    )
    open_build(options, open_workspace(work), console.print).run()
    if is_remote(out):
        console.print(f"copy it to a folder, where load_dataset reads it; check it with python -m build validate {out}")
        return
    console.print(f'load it with load_dataset("{out}", "korean"); check it with python -m build validate {out}')


def checks(names: str) -> tuple[str, ...]:
    """`"few,inconsistent"` -> the checks so called; raises InputError for a name that is none."""
    from build.analysis.raters import CHECKS

    chosen = tuple(name for name in names.split(",") if name)
    unknown = [name for name in chosen if name not in CHECKS]
    if unknown:
        raise InputError(f"--exclude-raters {unknown[0]}: the checks are {', '.join(CHECKS)}")
    return chosen
