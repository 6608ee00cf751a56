"""`madb`: build the second dataset."""

from pathlib import Path
from typing import Annotated

import typer

from build import lock
from build.cli import WORK, Work, app
from build.madb.build import MadbOptions, build_madb
from build.madb.headers import parse_mapping
from build.storage import here
from build.terminal import console
from build.workspace import Workspace


@app.command()
def madb(
    source: Annotated[str, typer.Option(help="`upstream`, or a folder with the authors' files.")] = "upstream",
    audio: Annotated[
        Path | None, typer.Option(help="Folder of sound files called by track id; by default below the source.")
    ] = None,
    out: Annotated[
        Path, typer.Option(parser=here, metavar="FOLDER", help="The built folder: replaced as a whole.")
    ] = Path("madb"),
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=HEADER", help="Name a column that is not recognised; may be repeated."),
    ] = None,
    work: Work = WORK,
) -> None:
    """Build MADB, the music aesthetics dataset, from its authors' files into a folder that `load_dataset` reads.

    Example: `python -m build madb --source ../madb_files --audio ../madb_files/audio --out madb`
    """
    with lock.built_folder(out):
        facts = build_madb(MadbOptions(source, audio, out, parse_mapping(column or [])), Workspace(work), console.print)
    for row in facts["sources"]:
        console.print(f"{row['source']}: {row['n']} tracks, overall score {row['mean']:.3f} ± {row['sd'] or 0:.3f}")
    console.print(f'load it with load_dataset("{out}"); its card {out}/README.md has distributions and correlations')
