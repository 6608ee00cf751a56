"""What predictions are scored against, read from a built folder."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from build.analysis.correlation import Floats, mean_defined
from build.analysis.reliability import reliability
from build.errors import InputError
from build.madb.contract import SCORES
from build.report.built import Built, read_built
from build.validate.files import read_manifest
from globalmood import LANGUAGES

GLOBALMOOD, MADB = "globalmood", "madb"
TASKS = (f"{GLOBALMOOD}:all", *(f"{GLOBALMOOD}:{language.config}" for language in LANGUAGES), MADB)
SCORED = {GLOBALMOOD: "test", MADB: "validation"}  # the split that a task is about


class Target(NamedTuple):
    """One thing to predict: `group` is a language or madb, `key` a term_id or a dimension, `label` as in the source."""

    group: str
    key: str
    label: str


@dataclass(frozen=True)
class Ceiling:
    """How well raters agree with raters, over the same songs: means over the terms where it is defined.

    `reliability` is split-half, stepped up by Spearman-Brown: how well the means of as many other raters would agree
    with these. `best_r`, the mean of its square roots, is the highest r that a perfect predictor can expect.
    """

    reliability: float | None
    best_r: float | None
    n_terms: int


@dataclass(frozen=True)
class Truth:
    """Mean ratings of the scored songs: `rated` (songs, targets), NaN where there is none; rows in order of song id.

    `train_means` (targets,) are what a predictor says that only knows the training songs' mean of each target.
    `elsewhere` are ids of the dataset outside the scored split.
    """

    task: str
    data: dict[str, Any]
    songs: tuple[str, ...]
    targets: tuple[Target, ...]
    rated: Floats
    train_means: Floats
    elsewhere: frozenset[str]
    ceilings: dict[str, Ceiling] = field(default_factory=dict)

    @property
    def groups(self) -> tuple[str, ...]:
        """Languages, or madb, in order."""
        return tuple(dict.fromkeys(target.group for target in self.targets))

    def columns(self, group: str) -> list[int]:
        """The columns of `rated` that belong to a group."""
        return [index for index, target in enumerate(self.targets) if target.group == group]


def read_truth(task: str, folder: Path) -> Truth:
    """The ratings that `task` is about. InputError for an unknown task, another dataset, or one without ratings."""
    if task not in TASKS:
        raise InputError(f"--task {task}: there is no such task; there are {', '.join(TASKS)}")
    manifest = read_manifest(folder)
    wanted, _, language = task.partition(":")
    if manifest.get("name") != wanted:
        raise InputError(f"{folder}: holds {manifest.get('name')!r}, and {task} is about {wanted}; name it with --data")
    data = {"name": wanted, "version": manifest.get("version"), "source": manifest.get("source")}
    if wanted == MADB:
        return _madb(folder, data | {"split": SCORED[MADB]})
    languages = [row.config for row in LANGUAGES if language in ("all", row.config)]
    return _globalmood(task, read_built(folder), languages, data | {"split": SCORED[GLOBALMOOD]})


def _globalmood(task: str, built: Built, languages: list[str], data: dict[str, Any]) -> Truth:
    targets = targets_of(built.terms, languages)
    songs = {split: _ids(built.songs, split) for split in ("train", "test")}
    rated = mean_ratings(built.cells, songs["test"], targets)
    empty = [name for name in languages if not np.isfinite(rated[:, _of(targets, name)]).any()]
    if empty:
        raise InputError(f"{task}: no song of the split test is rated in {empty[0]}, so there is nothing to score by")
    return Truth(
        task=task,
        data=data,
        songs=songs["test"],
        targets=targets,
        rated=rated,
        train_means=mean_defined(mean_ratings(built.cells, songs["train"], targets), axis=0),
        elsewhere=frozenset(songs["train"]),
        ceilings={name: _ceiling(built, songs["test"], name) for name in languages},
    )


def _ids(songs: pa.Table, split: str) -> tuple[str, ...]:
    return tuple(sorted(songs.filter(pc.equal(songs["split"], split))["song_id"].to_pylist()))


def _of(targets: tuple[Target, ...], group: str) -> list[int]:
    return [index for index, target in enumerate(targets) if target.group == group]


def targets_of(terms: pa.Table, languages: Sequence[str]) -> tuple[Target, ...]:
    """The terms of each language in the order of their ranks, from TERMS."""
    ranked = terms.sort_by("rank").to_pylist()
    return tuple(
        Target(language, row["term_id"], row["term"])
        for language in languages
        for row in ranked
        if row["language"] == language
    )


def mean_ratings(cells: pa.Table, songs: Sequence[str], targets: Sequence[Target]) -> Floats:
    """Mean ratings of CELLS as (songs, targets), NaN where nobody rated."""
    row = {song_id: index for index, song_id in enumerate(songs)}
    column = {(target.group, target.key): index for index, target in enumerate(targets)}
    means = np.full((len(songs), len(targets)), np.nan)
    for cell in cells.select(["language", "song_id", "term_id", "mean"]).to_pylist():
        place = row.get(cell["song_id"]), column.get((cell["language"], cell["term_id"]))
        if None not in place:
            means[place] = cell["mean"]
    return means


def _ceiling(built: Built, songs: tuple[str, ...], language: str) -> Ceiling:
    ratings = built.ratings.filter(pc.is_in(built.ratings["song_id"], value_set=pa.array(songs, pa.string())))
    terms = built.terms.filter(pc.equal(built.terms["language"], language))
    values = np.array([np.nan if r is None else r for r in reliability(ratings, terms)["reliability"].to_pylist()])
    return ceiling_of(values)


def ceiling_of(values: Floats) -> Ceiling:
    """The ceiling from the reliability of each term, NaN where it is not defined. A negative one allows r = 0."""
    known = values[np.isfinite(values)]
    if not known.size:
        return Ceiling(None, None, 0)
    return Ceiling(float(known.mean()), float(np.sqrt(np.maximum(known, 0.0)).mean()), int(known.size))


def _madb(folder: Path, data: dict[str, Any]) -> Truth:
    tables = {
        split: pa.concat_tables(
            pq.read_table(path, columns=["id", *SCORES]) for path in sorted(folder.glob(f"scores/{split}-*.parquet"))
        ).sort_by("id")
        for split in ("train", SCORED[MADB])
    }
    rated, trained = (np.column_stack([_floats(table[name]) for name in SCORES]) for table in reversed(tables.values()))
    return Truth(
        task=MADB,
        data=data,
        songs=tuple(map(str, tables[SCORED[MADB]]["id"].to_pylist())),
        targets=tuple(Target(MADB, name, SCORES[name]) for name in SCORES),
        rated=rated,
        train_means=mean_defined(trained, axis=0),
        elsewhere=frozenset(map(str, tables["train"]["id"].to_pylist())),
    )


def _floats(column: pa.ChunkedArray) -> Floats:
    return column.cast(pa.float64()).fill_null(np.nan).to_numpy()
