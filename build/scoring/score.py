"""One call from predictions to everything that is said about them: a result that JSON can hold."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from build.analysis.correlation import Floats
from build.scoring.align import Note, align
from build.scoring.measures import draw_songs
from build.scoring.predictions import read_predictions
from build.scoring.result import Judge, Result
from build.scoring.truth import Truth, read_truth

TRAIN_MEAN = "train-mean"  # in place of predictions: says each target's mean over the training songs, whatever the song
DRAWS = 1000  # bootstrap draws: interval bounds move by about .01 from seed to seed for 180 songs
AXIS = "Figure 3 of the paper leaves open whether r runs over songs or over terms; the primary measure is over songs."


def score(
    predictions: Any,
    task: str,
    data: Path | str | None = None,
    against: Any = None,
    n_draws: int = DRAWS,
    seed: int = 0,
) -> Result:
    """Score predictions for the songs of a task.

    Parameters
    ----------
    predictions : path of a CSV, Parquet or JSON file, a pyarrow table, a pandas frame, or TRAIN_MEAN
    task : "globalmood:all", "globalmood:korean", ..., or "madb"
    data : the built folder; by default `globalmood` or `madb` in the working directory
    against : a second system to compare with, in any form of `predictions`
    n_draws, seed : bootstrap draws of songs; the same for both systems

    Returns
    -------
    dict with `task`, `data`, `predictions`, `n_songs`, `notes` and `scores`: for each language (or madb) `primary`,
    `second` and their train-mean baselines, `ceiling`, and a row a term (or dimension) in `targets`. `overall` averages
    languages; `comparison` is there where there is something to compare with.

    Raises InputError for input that cannot be scored; what can, but differs from the task, is said in `notes`.
    """
    truth = read_truth(task, Path(data or task.partition(":")[0]))
    judge = Judge(truth, draw_songs(len(truth.songs), n_draws, seed))
    values, given, notes = _system(predictions, truth)
    result = {
        "task": task,
        "data": truth.data,
        "predictions": given,
        "n_songs": len(truth.songs),
        "n_draws": n_draws,
        "seed": seed,
        "axis": AXIS if truth.ceilings else None,
        "notes": _told(notes),
        "scores": {group: judge.scores(values, group) for group in truth.groups},
    }
    if len(truth.groups) > 1:
        result["overall"] = judge.overall(values)
    if against is not None:
        result["comparison"] = _comparison(judge, values, against)
    return result


def _system(source: Any, truth: Truth) -> tuple[Floats, Result, list[Note]]:
    """Predictions in the order of the truth, what they are called, and what is to be said about them."""
    if isinstance(source, str) and source == TRAIN_MEAN:
        return np.tile(truth.train_means, (len(truth.songs), 1)), {"name": TRAIN_MEAN, "sha256": None}, []
    predictions = read_predictions(source)
    values, notes = align(predictions, truth)
    return values, {"name": Path(predictions.name).name, "sha256": predictions.sha256}, notes


def _comparison(judge: Judge, values: Floats, against: Any) -> Result:
    other, given, notes = _system(against, judge.truth)
    groups = judge.truth.groups
    compared = {group: judge.comparison(values, other, (group,)) for group in groups}
    if len(groups) > 1:
        compared["overall"] = judge.comparison(values, other, groups)
    return {"against": given, "notes": _told(notes), **compared}


def _told(notes: Sequence[Note]) -> list[dict[str, str]]:
    return [note._asdict() for note in notes]
