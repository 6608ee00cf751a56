"""`python -m build report` and `python -m build figures`."""

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from build.analysis.concepts import concepts
from build.cli import app, errors
from build.files import write_bytes
from build.report.built import Built, read_built, read_excerpts
from build.report.findings import find
from build.report.fonts import Fonts, fonts_for
from build.report.page import render, shown_texts
from build.report.plates import card_plates, drawn_texts, plates
from build.report.previews import previews
from build.report.webfonts import font_faces
from build.terminal import console

MOST_PLAYERS = 250  # of 60 kB each and a third more in base64: 20 MB, so that the page stays under 30 MB
BUILT = Path("globalmood")

Folder = Annotated[Path, typer.Argument(help="A built dataset folder.")]
Seed = Annotated[int, typer.Option(help="Seed of rater splits, bootstrap draws and the mood space.")]


@app.command()
def report(
    folder: Folder = BUILT,
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    with_audio: Annotated[
        bool,
        typer.Option("--with-audio", help=f"Put in players of up to {MOST_PLAYERS} songs, as the sample always has."),
    ] = False,
    seed: Seed = 0,
) -> None:
    """Write one self-contained page about a built dataset: figures, tables, players.

    The page holds other people's sound with --with-audio: do not publish it then.

    Example: python -m build report globalmood --out report.html
    """
    built = read_built(folder)
    fonts = _fonts(built)
    findings = find(built, concepts(), seed)
    heard = read_excerpts(folder) if with_audio or built.source == "sample" else ()
    sounds = dict(previews(islice(heard, MOST_PLAYERS)))
    notes = [advice] if (advice := fonts.advice()) else []
    page = render(built, findings, plates(built, findings, fonts), sounds, font_faces(shown_texts(built)), notes)
    write_bytes(out, page.encode())
    console.print(f"{out}: {len(page.encode()) / 1e6:.1f} MB, {built.songs.num_rows} songs, {len(sounds)} players")


def _fonts(built: Built) -> Fonts:
    fonts = fonts_for(drawn_texts(built))
    if advice := fonts.advice():
        errors.print(f"note: {advice}")
    return fonts


@app.command()
def figures(
    folder: Folder = BUILT,
    out: Annotated[Path, typer.Option(help="Folder for the PNG files.")] = Path("figures"),
    seed: Seed = 0,
) -> None:
    """Write the main figures of a built dataset as PNG files, as the data card shows them.

    Example: python -m build figures globalmood --out figures
    """
    built = read_built(folder)
    for plate in card_plates(built, find(built, concepts(), seed), _fonts(built)):
        write_bytes(out / f"{plate.name}.png", plate.image or b"")
        console.print(f"{out / plate.name}.png: {plate.alt}")
