"""`run`: every stage in order, and the options of a build, which the single stages share."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from build.audio import ClipOptions
from build.cli import WORK, Work, app
from build.fetch import FetchOptions
from build.pipeline import Build, BuildOptions
from build.sources.columns import parse_mapping
from build.workspace import Workspace

console = Console(highlight=False, soft_wrap=True, markup=False)

Source = Annotated[str, typer.Option("--source", help="`sample`, `upstream`, or a folder laid out like the release.")]
Out = Annotated[Path, typer.Option("--out", help="The built folder: replaced as a whole.")]
OUT = Path("globalmood")
NoAudio = Annotated[bool, typer.Option("--no-audio", help="Songs, terms and ratings only; every `audio` is null.")]
Seed = Annotated[int, typer.Option("--seed", help="Draws the excerpts' windows, and the synthetic sample.")]
NumWorkers = Annotated[int, typer.Option("--workers", min=1, help="Processes that cut excerpts.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Build the first N songs of the list only.")]
Column = Annotated[
    list[str] | None,
    typer.Option("--column", metavar="ROLE=HEADER", help="Name a column that is not recognised; may be repeated."),
]


@app.command()
def run(
    source: Source = "sample",
    out: Out = OUT,
    no_audio: NoAudio = False,
    seed: Seed = 0,
    workers: NumWorkers = 2,
    limit: Limit = None,
    column: Column = None,
    work: Work = WORK,
) -> None:
    """Build the dataset from its source lists into a folder that `load_dataset` reads.

    Example: `python -m build run --source my_songs/ --no-audio --out ../my_dataset`
    """
    options = BuildOptions(
        source=source,
        out=out,
        audio=not no_audio,
        seed=seed,
        workers=workers,
        limit=limit,
        mapping=parse_mapping(column or []),
        fetch=FetchOptions(),
        clip=ClipOptions(seed=seed),
    )
    Build(options, Workspace(work), console.print).run()
    console.print(f'load it with load_dataset("{out}", "korean"); check it with python -m build validate {out}')
