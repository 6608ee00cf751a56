"""`score`: predictions against the ratings of a built folder."""

import json
from pathlib import Path
from typing import Annotated

import typer

from build.cli import app
from build.files import write_bytes
from build.scoring import TRAIN_MEAN
from build.scoring import score as score_predictions
from build.scoring.score import DRAWS
from build.scoring.table import legend, tables
from build.scoring.truth import TASKS
from build.terminal import console, one_line


@app.command()
def score(
    predictions: Annotated[
        str, typer.Argument(help=f"CSV, Parquet or JSON: a song id and a column a term; or `{TRAIN_MEAN}`.")
    ],
    task: Annotated[str, typer.Option(help=f"One of {', '.join(TASKS)}.")],
    data: Annotated[Path | None, typer.Option(help="The built folder; by default globalmood or madb.")] = None,
    against: Annotated[
        str | None, typer.Option(help=f"A second file, or `{TRAIN_MEAN}`: Cohen's q and a paired bootstrap.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the result as JSON.")] = None,
    draws: Annotated[int, typer.Option(min=100, help="Bootstrap draws of songs.")] = DRAWS,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
) -> None:
    """Score predictions for the test songs, in the same way for everybody.

    Columns are named by a term, its id, or `LANGUAGE:TERM`. What is missing, constant or unknown is said, and does not
    help.

    Example: `python -m build score predictions.csv --task globalmood:korean --against train-mean`
    """
    result = score_predictions(predictions, task, data, against, draws, seed)
    for table in tables(result):
        console.print(table)
    console.print(legend(result))
    for note in [*result["notes"], *result.get("comparison", {}).get("notes", [])]:
        console.print(one_line(f"note: {note['kind']}: {note['text']}"))
    if out:
        write_bytes(out, (json.dumps(result, indent=1, ensure_ascii=False) + "\n").encode())
        console.print(f"{out}: the same as JSON")
