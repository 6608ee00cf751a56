"""`publish`: a built folder onto the Hub."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal

from build.cli import app
from build.errors import InputError
from build.terminal import console
from build.workspace import METADATA

if TYPE_CHECKING:
    from build.hub.publish import Parcel

RIGHTS = METADATA / "rights.md"


@app.command()
def publish(
    repository: Annotated[str, typer.Argument(metavar="REPO", help="ORG/NAME; made if it does not exist.")],
    folder: Annotated[Path, typer.Option("--folder", help="A built folder.")] = Path("globalmood"),
    with_audio: Annotated[bool, typer.Option("--with-audio", help="Publish the audio too; asks about rights.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Make the repository readable by its owners.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show files, sizes and the card; send nothing.")] = False,
) -> None:
    """Publish a built folder on the Hugging Face Hub: one commit and a tag, without audio unless asked for.

    Example: `python -m build publish ORG/globalmood --dry-run`
    """
    from build.hub.publish import packed, upload

    with packed(folder, with_audio) as parcel:
        if with_audio:
            console.print(RIGHTS.read_text(encoding="utf-8"))
        if dry_run:
            _show(parcel, repository)
            return
        if with_audio and not typer.confirm("Do you have the right to publish this audio?"):
            raise InputError("nothing was published: the audio's rights are not yours to give")
        upload(parcel, repository, private, console.print)


def _show(parcel: "Parcel", repository: str) -> None:
    for name, size in parcel.sizes.items():
        console.print(f"{decimal(size):>12}  {name}")
    total = sum(parcel.sizes.values())
    console.print(f"{decimal(total):>12}  {len(parcel.sizes)} files for {repository}, tag {parcel.tag}; none was sent")
    for name in parcel.left_out:
        console.print(f"    left out  {name}")
    console.print(parcel.card)
