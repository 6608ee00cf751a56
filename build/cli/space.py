"""`python -m build space`."""

from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from build.analysis import space as mood_space
from build.cli import app
from build.files import write_table
from build.report.built import read_built
from build.terminal import console


@app.command()
def space(
    folder: Annotated[Path, typer.Argument(help="A built dataset folder.")] = Path("globalmood"),
    dimensions: Annotated[int, typer.Option(min=1, max=10, help="Dimensions of the space.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the random starts.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Parquet file for the coordinates.")] = None,
) -> None:
    """Place the terms of all languages in one mood space by non-metric MDS, and tell its stress.

    Example: python -m build space globalmood --dimensions 3 --out space.parquet
    """
    built = read_built(folder)
    found = mood_space.space(built.cells, seed, dimensions)
    for (language, term_id), reason in sorted(found.excluded.items()):
        console.print(f"left out: {language} {term_id} ({reason})")
    stress = "not defined" if found.stress is None else f"{found.stress:.3f}"
    console.print(f"{len(found.terms)} terms in {dimensions} dimensions, stress-1 {stress}")
    if out:
        write_table(out, coordinates(found))
        console.print(f"written: {out}")


def coordinates(found: mood_space.Space) -> pa.Table:
    """A row a term: language, term_id and its coordinates `axis_1`, `axis_2`, ... (no unit, mean square 1 in all)."""
    columns = {
        "language": [language for language, _ in found.terms],
        "term_id": [term_id for _, term_id in found.terms],
    }
    axes = {f"axis_{number}": axis for number, axis in enumerate(found.points.T, start=1)}
    schema = pa.schema([*((name, pa.string()) for name in columns), *((name, pa.float64()) for name in axes)])
    return pa.table(columns | axes, schema)
