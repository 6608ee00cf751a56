"""`python -m build excerpt`, and the options of excerpts, which `run` takes too."""

from pathlib import Path
from typing import Annotated

import typer

from build import lock
from build.cli import WORK, app
from build.made import as_before
from build.storage import at
from build.terminal import console
from build.workspace import open_workspace

Loudness = Annotated[float, typer.Option(help="Target in LUFS (ITU-R BS.1770-4).")]
Policy = Annotated[
    str | None,
    typer.Option(help="What happens to peaks: limit (default), headroom (default with source), peak, exact or none."),
]
Codec = Annotated[str, typer.Option(help="flac, or source: copy Opus packets as they are, FLAC for all others.")]
EarlierSource = Annotated[
    str | None, typer.Option("--source", help="As of `run`; default: what the stages before had.", show_default=False)
]
EarlierSeed = Annotated[
    int | None,
    typer.Option("--seed", help="Draws the windows, and the sample; default: as of `songs`.", show_default=False),
]
WorkerCount = Annotated[int, typer.Option("--workers", help="Processes that decode and encode.")]
AnyWork = Annotated[
    Path,
    typer.Option(
        "--work",
        parser=at,
        metavar="FOLDER",
        help="Caches, journal and intermediate tables; at s3://... all but the journal, which stays here.",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Work on a Dask cluster: tcp://HOST:PORT, or local:N processes."),
]


@app.command()
def excerpt(
    source: EarlierSource = None,
    loudness: Loudness = -5.0,
    policy: Policy = None,
    codec: Codec = "flac",
    seed: EarlierSeed = None,
    workers: WorkerCount = 2,
    dask: Dask = None,
    work: AnyWork = WORK,
) -> None:
    """Cut 15 s out of every fetched song, set its loudness and encode it.

    Example: python -m build excerpt --policy headroom --workers 4
    """
    from build.audio import ClipOptions
    from build.hub.rebuild import open_build
    from build.options import BuildOptions

    workspace = open_workspace(work)
    with lock.work_folder(workspace.root):
        before = as_before(workspace.tables, source, seed)
        clip = ClipOptions(before["seed"], loudness, policy, codec)
        options = BuildOptions(workers=workers, dask=dask, clip=clip, **before)
        open_build(options, workspace, console.print).excerpt()
