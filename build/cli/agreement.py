"""`python -m build agreement`."""

from pathlib import Path
from typing import Annotated

import pyarrow as pa
import pyarrow.compute as pc
import typer
from rich.table import Table

from build.analysis import agreement as between_and_within
from build.analysis import reliability as by_term
from build.analysis.concepts import concepts
from build.cli import app
from build.files import write_table
from build.report.built import read_built
from build.terminal import console, page


@app.command()
def agreement(
    folder: Annotated[Path, typer.Argument(help="A built dataset folder.")] = Path("globalmood"),
    splits: Annotated[int, typer.Option(min=1, help="Random splits of the raters into halves.")] = by_term.SPLITS,
    draws: Annotated[int, typer.Option(min=1, help="Bootstrap draws of songs.")] = between_and_within.DRAWS,
    seed: Annotated[int, typer.Option(help="Seed of splits and draws.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for agreement.parquet and reliability.parquet.")] = None,
) -> None:
    """Agreement on moods between and within countries, and the reliability of each term (paper section 4.2.2).

    Example: python -m build agreement globalmood --splits 500 --out results
    """
    built = read_built(folder)
    shared, excluded = between_and_within.agreement(
        built.ratings, built.cells, built.terms, concepts(), splits, draws, seed
    )
    reliable = by_term.reliability(built.ratings, built.terms, splits, seed)
    page.print(_shown(shared))
    for row in excluded.to_pylist():
        console.print(f"left out: {row['concept']} ({row['reason']}: {row['detail']})")
    page.print(_summary(reliable))
    if out:
        write_table(out / "agreement.parquet", shared)
        write_table(out / "reliability.parquet", reliable)
        console.print(f"written: agreement.parquet and reliability.parquet in {out}")


def _shown(shared: pa.Table) -> Table:
    table = Table("concept", "languages", "songs", "between r", "within r", title="Agreement, with 95 % intervals")
    for row in shared.to_pylist():
        cells = [_interval(row, kind) for kind in ("between", "within")]
        table.add_row(row["concept"], str(len(row["languages"])), str(row["n_songs"]), *cells)
    return table


def _interval(row: dict[str, float | None], kind: str) -> str:
    r, low, high = (row[f"{kind}_{part}"] for part in ("r", "low", "high"))
    return "not defined" if r is None or low is None else f"{r:.2f} [{low:.2f}, {high:.2f}]"


def _summary(reliable: pa.Table) -> Table:
    table = Table("language", "terms", "reliability", "alpha", "not defined", title="Reliability, mean over terms")
    for language in pc.unique(reliable["language"]).to_pylist():
        own = reliable.filter(pc.field("language") == language)
        means = [pc.mean(own[name]).as_py() for name in ("reliability", "alpha")]
        shown = ["–" if mean is None else f"{mean:.2f}" for mean in means]
        table.add_row(language, str(own.num_rows), *shown, str(own["reliability"].null_count))
    return table
