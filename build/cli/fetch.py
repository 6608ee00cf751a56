"""`python -m build fetch`, and the options of fetching, which `run` takes too."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from build import lock, made
from build.cli import WORK, Work, app
from build.errors import RunError
from build.fetch import FetchOptions, fetch_songs, last_word, source_root_of
from build.files import read_table, write_table
from build.terminal import console
from build.workspace import Workspace

PANEL = "Fetching"
Mode = Annotated[
    str,
    typer.Option(
        "--mode",
        help="incremental: songs never asked for, due retries, damaged files. retry-failed: also failures that have "
        "used up their tries. recheck: also songs that are gone, blocked or refused.",
        rich_help_panel=PANEL,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="IDS", help="Only these songs, separated by commas.", rich_help_panel=PANEL),
]
Pace = Annotated[
    float, typer.Option("--pace", help="Songs an hour from YouTube; guests are let about 300.", rich_help_panel=PANEL)
]
Cookies = Annotated[
    Path | None, typer.Option("--cookies", help="Cookies file in Netscape format.", rich_help_panel=PANEL)
]
CookiesFromBrowser = Annotated[
    str | None,
    typer.Option(
        "--cookies-from-browser", metavar="BROWSER[:PROFILE]", help="Use a browser's cookies.", rich_help_panel=PANEL
    ),
]
Proxy = Annotated[
    str | None, typer.Option("--proxy", metavar="URL", help="HTTP or SOCKS proxy.", rich_help_panel=PANEL)
]
PlayerClient = Annotated[
    list[str] | None,
    typer.Option("--player-client", help="YouTube player client of yt-dlp; may be repeated.", rich_help_panel=PANEL),
]
MaxMb = Annotated[float, typer.Option("--max-mb", help="Largest file to take, in MB.", rich_help_panel=PANEL)]
MaxMinutes = Annotated[float, typer.Option("--max-minutes", help="Longest track to take.", rich_help_panel=PANEL)]
DEFAULTS = FetchOptions()


def fetch_options(
    mode: str = DEFAULTS.mode,
    only: list[str] | None = None,
    pace: float = DEFAULTS.pace_per_hour,
    cookies: Path | None = None,
    cookies_from_browser: str | None = None,
    proxy: str | None = None,
    player_client: list[str] | None = None,
    max_mb: float = DEFAULTS.max_bytes / 1e6,
    max_minutes: float = DEFAULTS.max_duration_s / 60,
) -> FetchOptions:
    """The options as given on the command line, checked. Raises InputError."""
    return FetchOptions(
        mode=mode,
        only=_split(only),
        pace_per_hour=pace,
        cookies=cookies,
        cookies_from_browser=cookies_from_browser,
        proxy=proxy,
        player_client=_split(player_client),
        max_bytes=round(max_mb * 1e6),
        max_duration_s=max_minutes * 60,
    )


@app.command()
def fetch(
    mode: Mode = DEFAULTS.mode,
    only: Only = None,
    pace: Pace = DEFAULTS.pace_per_hour,
    cookies: Cookies = None,
    cookies_from_browser: CookiesFromBrowser = None,
    proxy: Proxy = None,
    player_client: PlayerClient = None,
    max_mb: MaxMb = DEFAULTS.max_bytes / 1e6,
    max_minutes: MaxMinutes = DEFAULTS.max_duration_s / 60,
    source_root: Annotated[
        Path | None,
        typer.Option(help="Folder whose files the songs' relative urls are; default: as in the last run."),
    ] = None,
    work: Work = WORK,
) -> None:
    """Fetch the songs that are not in the cache yet; stop it at any time, the same command goes on.

    Example: python -m build fetch --pace 200 --cookies-from-browser firefox
    """
    options = fetch_options(mode, only, pace, cookies, cookies_from_browser, proxy, player_client, max_mb, max_minutes)
    workspace, songs = Workspace(work), read_songs_table(work)
    with lock.work_folder(work):
        try:
            table = fetch_songs(songs, source_root or source_root_of(workspace), workspace, options)
        except (RunError, KeyboardInterrupt):
            console.print(last_word(songs, workspace, _command(options, work)))
            raise
        made.forget(workspace.tables, "excerpt")
        write_table(workspace.tables / "fetched.parquet", table)
    console.print(last_word(songs, workspace, _command(options, work)))


def read_songs_table(work: Path) -> pa.Table:
    """SONGS, as the stage `songs` left it. Raises InputError."""
    return read_table(work / "tables" / "songs.parquet", "songs")


def _command(options: FetchOptions, work: Path) -> str:
    said = ["python", "-m", "build", "fetch", *replace(options, mode=DEFAULTS.mode).arguments()]
    return shlex.join(said if work == WORK else [*said, "--work", str(work)])


def _split(values: list[str] | None) -> tuple[str, ...]:
    return tuple(part for value in values or () for part in value.split(",") if part)
