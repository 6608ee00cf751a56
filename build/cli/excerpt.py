"""`python -m build excerpt`, and the options of excerpts, which `run` takes too."""

from pathlib import Path
from typing import Annotated

import typer

from build import lock
from build.cli import WORK, app
from build.storage import at
from build.terminal import console
from build.workspace import open_workspace

Loudness = Annotated[float, typer.Option(help="Target in LUFS (ITU-R BS.1770-4).")]
Policy = Annotated[
    str | None,
    typer.Option(help="What happens to peaks: limit (default), headroom (default with source), peak, exact or none."),
]
Codec = Annotated[str, typer.Option(help="flac, or source: copy Opus packets as they are, FLAC for all others.")]
Seed = Annotated[int, typer.Option(help="Draws the windows of songs whose source gives none.")]
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
    loudness: Loudness = -5.0,
    policy: Policy = None,
    codec: Codec = "flac",
    seed: Seed = 0,
    workers: WorkerCount = 2,
    dask: Dask = None,
    work: AnyWork = WORK,
) -> None:
    """Cut 15 s out of every fetched song, set its loudness and encode it.

    Example: python -m build excerpt --policy headroom --workers 4
    """
    from build.audio import ClipOptions
    from build.pipeline import Build, BuildOptions

    options = BuildOptions(workers=workers, dask=dask, clip=ClipOptions(seed, loudness, policy, codec))
    workspace = open_workspace(work)
    with lock.work_folder(workspace.root):
        Build(options, workspace, console.print).excerpt()
