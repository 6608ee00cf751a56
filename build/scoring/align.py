"""Predictions onto the songs and targets that they are scored on; whatever does not fit is said."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from build.analysis.correlation import Floats
from build.errors import InputError
from build.scoring.measures import correlations, is_constant
from build.scoring.predictions import Predictions
from build.scoring.truth import Target, Truth
from build.tables import match_key

SHOWN = 5  # examples in a note


class Note(NamedTuple):
    """Something about predictions that a reader of their score must know; `kind` is one of NOTES."""

    kind: str
    text: str


NOTES = {
    "missing_songs": "no prediction at all; counts as the mean of what was predicted, so it cannot help",
    "missing_targets": "no column, or an empty one; counts as r = 0",
    "missing_values": "empty, NaN or infinite; counts as the mean of its column",
    "constant": "the same for every song; counts as r = 0",
    "other_split": "songs of another split; left out",
    "unknown_songs": "ids that the dataset does not have; left out",
    "extra_columns": "columns that name no target of the task; left out",
    "unmeasurable": "rated for fewer than three songs, or alike for all: no system is scored on it",
}


def align(predictions: Predictions, truth: Truth) -> tuple[Floats, list[Note]]:
    """Return predictions as (songs, targets) in the order of `truth`, NaN where there is none, and what to know.

    Raises InputError where not one song or not one target is predicted, and where a column could be two targets.
    """
    columns = _columns(predictions, truth)
    row = {song_id: index for index, song_id in enumerate(truth.songs)}
    found = [(place, row[song_id]) for place, song_id in enumerate(predictions.ids) if song_id in row]
    if not found or not columns:
        raise InputError(f"{predictions.name}: {_nothing(predictions, truth, bool(found))}")
    values = np.full(truth.rated.shape, np.nan)
    there, here = (list(places) for places in zip(*found, strict=True))
    for index, column in columns.items():
        values[here, index] = predictions.numbers(column)[there]
    on_songs = _notes_on_songs(predictions, truth, values)
    return values, [*on_songs, *_notes_on_targets(predictions, truth, columns, values)]


def _nothing(predictions: Predictions, truth: Truth, has_songs: bool) -> str:
    """Why there is nothing to score."""
    what, has, wanted = "songs", predictions.ids, truth.songs
    if has_songs:
        what, has = "columns", tuple(predictions.table.column_names)
        wanted = tuple(_name(target) for target in truth.targets)
    return f"none of its {what} belong to {truth.task}: it has {_some(has)}; wanted are {_some(wanted)}"


def _columns(predictions: Predictions, truth: Truth) -> dict[int, str]:
    """Index of target -> its column: named by the term's text or id, alone or as `language:term`."""
    names: dict[str, set[int]] = {}
    for index, target in enumerate(truth.targets):
        for text in (target.key, target.label):
            for name in (text, f"{target.group}:{text}"):
                names.setdefault(match_key(name), set()).add(index)
    columns: dict[int, str] = {}
    for column in predictions.table.column_names:
        meant = names.get(match_key(column), set())
        if len(meant) > 1:
            could = " or ".join(_name(truth.targets[index]) for index in sorted(meant))
            raise InputError(f"{predictions.name}: column {column!r} could be {could}; name it so")
        for index in meant:
            if index in columns:
                both = f"{columns[index]!r} and {column!r}"
                raise InputError(f"{predictions.name}: {both} are both {_name(truth.targets[index])}; keep one")
            columns[index] = column
    return columns


def _notes_on_songs(predictions: Predictions, truth: Truth, values: Floats) -> Iterator[Note]:
    silent = [song_id for song_id, row in zip(truth.songs, values, strict=True) if not np.isfinite(row).any()]
    yield from _note("missing_songs", silent, f"of {len(truth.songs)} songs")
    given = [song_id for song_id in predictions.ids if song_id not in set(truth.songs)]
    yield from _note("other_split", [song_id for song_id in given if song_id in truth.elsewhere], "songs")
    yield from _note("unknown_songs", [song_id for song_id in given if song_id not in truth.elsewhere], "songs")


def _notes_on_targets(
    predictions: Predictions, truth: Truth, columns: dict[int, str], values: Floats
) -> Iterator[Note]:
    heard = np.isfinite(values).any(axis=1)
    holes = np.isnan(values[heard])
    empty = holes.all(axis=0)
    measurable = np.isfinite(correlations(truth.rated, truth.rated)[0])
    flat = np.array([is_constant(column[np.isfinite(column)][:, None])[0] for column in values.T], bool) & ~empty
    partly = holes.any(axis=0) & ~empty
    for kind, chosen in (("missing_targets", empty), ("missing_values", partly), ("constant", flat)):
        yield from _note(kind, [_name(truth.targets[index]) for index in np.flatnonzero(chosen)], _TARGETS)
    used = set(columns.values())
    extra = [name for name in predictions.table.column_names if name not in used]
    yield from _note("extra_columns", extra, "columns")
    yield from _note("unmeasurable", [_name(truth.targets[index]) for index in np.flatnonzero(~measurable)], _TARGETS)


_TARGETS = "terms or dimensions"


def _note(kind: str, names: Sequence[str], of_what: str) -> Iterator[Note]:
    if names:
        yield Note(kind, f"{len(names)} {of_what} ({_some(names)}): {NOTES[kind]}")


def _name(target: Target) -> str:
    return f"{target.group}:{target.key}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
