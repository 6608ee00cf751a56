"""A score as tables for the terminal."""

from collections.abc import Iterator
from typing import Any

from rich import box
from rich.table import Table

Result = dict[str, Any]
LEGEND = """\
primary: Pearson's r over songs within a term, averaged over terms, with its 95 % bootstrap interval over songs.
ceiling: the highest primary that a perfect predictor can expect: the mean square root of the raters' split-half
reliability (Spearman-Brown), which stands beside it. second: r over terms within a song, averaged over songs, beside
what the train mean of each term gets there without listening."""
LEGEND_MADB = """\
mse: mean squared error; lcc, srcc, krcc: Pearson, Spearman, Kendall (tau-b) over tracks. Tracks to which a dimension
does not apply are left out. The last column is the error of saying the training tracks' mean for every track."""


def tables(result: Result) -> Iterator[Table]:
    """The tables that tell `result` of `build.scoring.score`: totals, single terms of a single language, comparison."""
    if result["data"]["name"] == "madb":
        yield _dimensions(result)
    else:
        yield _languages(result)
        if len(result["scores"]) == 1:
            yield _terms(result)
    if "comparison" in result:
        yield _comparison(result)


def legend(result: Result) -> str:
    """What the columns mean."""
    return LEGEND_MADB if result["data"]["name"] == "madb" else f"{LEGEND}\n{result['axis']}"


def _table(first: str, title: str) -> Table:
    table = Table(first, title=title, box=box.SIMPLE_HEAD, title_justify="left", collapse_padding=True, pad_edge=False)
    table.columns[0].no_wrap = True
    return table


def _languages(result: Result) -> Table:
    table = _table("language", f"{result['task']}: {result['n_songs']} songs of the split {result['data']['split']}")
    for name in ("primary", "interval", "ceiling", "reliability", "second", "train mean"):
        table.add_column(name, justify="right", no_wrap=True)
    for language, scores in result["scores"].items():
        table.add_row(
            language,
            _number(scores["primary"]["value"]),
            _interval(scores["primary"]),
            _number(scores["ceiling"]["best_r"]),
            _number(scores["ceiling"]["reliability"]),
            _number(scores["second"]["value"]),
            _number(scores["second_train_mean"]["value"]),
        )
    if "overall" in result:
        overall = result["overall"]["primary"]
        table.add_row("mean", _number(overall["value"]), _interval(overall), "", "", "", "")
    return table


def _terms(result: Result) -> Table:
    table = _table("term", "r over songs, a term")
    for name in ("r", "songs", "predicted"):
        table.add_column(name, justify="right")
    (scores,) = result["scores"].values()
    for row in scores["targets"]:
        table.add_row(row["label"], _number(row["r"]), str(row["n_songs"]), str(row["n_predicted"]))
    return table


def _dimensions(result: Result) -> Table:
    table = _table("dimension", f"madb: {result['n_songs']} tracks of the split {result['data']['split']}")
    names = ("mse", "lcc", "srcc", "krcc")
    for name in (*names, "tracks", "predicted", "mse of train mean"):
        table.add_column(name, justify="right")
    for row in result["scores"]["madb"]["targets"]:
        numbers = [_number(row[name]) for name in names]
        counts = str(row["n_songs"]), str(row["n_predicted"])
        table.add_row(row["target"], *numbers, *counts, _number(row["mse_train_mean"]))
    return table


def _comparison(result: Result) -> Table:
    comparison = result["comparison"]
    table = _table("", f"against {comparison['against']['name']}, on the same songs")
    for name in ("primary", "against", "difference", "interval", "Cohen's q", "p"):
        table.add_column(name, justify="right")
    for group in (*result["scores"], "overall"):
        if group in comparison:
            row = comparison[group]
            table.add_row(
                group,
                _number(row["primary"]),
                _number(row["primary_against"]),
                _number(row["difference"]["value"]),
                _interval(row["difference"]),
                _number(row["cohens_q"]),
                _number(row["p"]),
            )
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(estimate: dict[str, float | None]) -> str:
    return f"{_number(estimate['low'])}, {_number(estimate['high'])}"
