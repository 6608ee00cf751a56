"""`card`: render a card again."""

from pathlib import Path
from typing import Annotated

import typer

from build import lock
from build.cli import app
from build.files import write_bytes
from build.terminal import console
from build.workspace import REPOSITORY


@app.command()
def card(
    folder: Annotated[Path, typer.Argument(help="A built folder: it holds MANIFEST.json.")] = Path("globalmood"),
    repository: Annotated[
        bool, typer.Option("--readme", help="Render the repository's README.md from its results instead.")
    ] = False,
) -> None:
    """Render the card of a built folder again, after a change under metadata/.

    Example: `python -m build card globalmood`
    """
    from build.dataset.readme import readme
    from build.dataset.write import README, rewrite_card

    if repository:
        write_bytes(REPOSITORY / README, readme().encode())
        console.print(f"{README} is rendered")
        return
    with lock.built_folder(folder):
        rewrite_card(folder)
    console.print(f"{folder / README} is rendered")
