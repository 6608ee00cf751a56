"""`validate`: re-read a built folder."""

from pathlib import Path
from typing import Annotated

import typer

from build.cli import app
from build.storage import at, folder_at_hand
from build.terminal import console, one_line


@app.command()
def validate(
    folder: Annotated[
        Path, typer.Argument(parser=at, metavar="FOLDER", help="A built folder, or s3://... : it holds MANIFEST.json.")
    ] = Path("globalmood"),
) -> None:
    """Check a built folder: hashes, types, splits, every audio payload, ratings and means. Exit code 1 if any is off.

    Example: `python -m build validate globalmood`
    """
    from build.validate import validate as check

    with folder_at_hand(folder) as local:
        findings = check(local)
    for kind in ("missing", "invalid", "extra"):
        found = getattr(findings, kind)
        console.print(f"{kind}: {len(found)}")
        for sentence in found:
            console.print(f"  {one_line(sentence)}")
    raise typer.Exit(code=1 if findings else 0)
