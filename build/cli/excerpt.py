"""`python -m build excerpt`."""

from typing import Annotated

import pyarrow.parquet as pq
import typer

from build.audio.clips import excerpt_songs
from build.audio.options import ClipOptions
from build.cli import WORK, Work, app
from build.errors import InputError
from build.files import write_table
from build.workers import pool
from build.workspace import Workspace

Loudness = Annotated[float, typer.Option(help="Target in LUFS (ITU-R BS.1770-4).")]
Policy = Annotated[
    str | None,
    typer.Option(help="What happens to peaks: limit (default), headroom (default with source), peak, exact or none."),
]
Codec = Annotated[str, typer.Option(help="flac, or source: copy Opus packets as they are, FLAC for all others.")]
Seed = Annotated[int, typer.Option(help="Draws the windows of songs whose source gives none.")]
WorkerCount = Annotated[int, typer.Option("--workers", help="Processes that decode and encode.")]


@app.command()
def excerpt(
    loudness: Loudness = -5.0,
    policy: Policy = None,
    codec: Codec = "flac",
    seed: Seed = 0,
    workers: WorkerCount = 2,
    work: Work = WORK,
) -> None:
    """Cut 15 s out of every fetched song, set its loudness and encode it.

    Example: python -m build excerpt --policy headroom --workers 4
    """
    options = ClipOptions(seed, loudness, policy, codec)
    workspace = Workspace(work)
    tables = {}
    for name in ("songs", "fetched"):
        path = workspace.tables / f"{name}.parquet"
        if not path.is_file():
            raise InputError(f"{path} is not there: run `python -m build fetch` first")
        tables[name] = pq.read_table(path)
    with pool(workers) as processes:
        clips = excerpt_songs(tables["songs"], tables["fetched"], options, workspace.clips, processes)
    path = workspace.tables / "clips.parquet"
    write_table(path, clips)
    ok = clips["status"].to_pylist().count("ok")
    typer.echo(f"{ok} of {clips.num_rows} excerpts are there, the rest say why in {path}")
