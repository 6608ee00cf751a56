"""What a baseline learns from and writes: mean ratings of a built folder, and predictions for its songs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from build.analysis.correlation import Floats
from build.baselines.sounds import dataset_of
from build.errors import InputError
from build.files import whole_file
from build.madb.contract import NAME, SCORES
from build.report.built import read_built
from build.scoring.truth import Target, mean_ratings, targets_of
from build.split import position
from build.validate.files import read_manifest
from globalmood import LANGUAGES

NO_FOLD = -1  # of songs that are not in train
TRACK_FOLDS = 10


@dataclass(frozen=True)
class Material:
    """Songs of a built folder: `split` and `fold` (songs,), and mean ratings `rated` (songs, targets), NaN for none.

    `translations` (targets,) are terms in English. Tracks of MADB, whose authors give no folds, are in ten of their
    own, by a hash of their id.
    """

    songs: tuple[str, ...]
    split: NDArray[np.str_]
    fold: NDArray[np.int64]
    targets: tuple[Target, ...]
    translations: tuple[str, ...]
    rated: Floats

    def only(self, songs: Sequence[str]) -> "Material":
        """The songs among `songs`, in that order."""
        place = {song_id: index for index, song_id in enumerate(self.songs)}
        kept = [song_id for song_id in songs if song_id in place]
        index = np.array([place[song_id] for song_id in kept], np.int64)
        return Material(
            tuple(kept), self.split[index], self.fold[index], self.targets, self.translations, self.rated[index]
        )


def read_material(folder: Path, languages: Sequence[str] = ()) -> Material:
    """The songs and ratings of a built GlobalMood folder; all languages, unless told otherwise.

    Raises InputError for another folder, an unknown language, an empty term, and where nobody rated a training song.
    """
    known = [language.config for language in LANGUAGES]
    unknown = [name for name in languages if name not in known]
    if unknown:
        raise InputError(f"there is no language {unknown[0]!r}; there are {', '.join(known)}")
    if dataset_of(folder) != "globalmood":
        raise InputError(f"{folder}: is no built GlobalMood folder; name one with --data")
    built = read_built(folder)
    targets = targets_of(built.terms, languages or known)
    blank = [f"{target.group}:{target.key}" for target in targets if not target.label.strip()]
    if blank:
        raise InputError(f"{folder}: the term {blank[0]} is empty; mend the list of terms, and build again")
    translation = {(row["language"], row["term_id"]): row["translation"] for row in built.terms.to_pylist()}
    songs = tuple(built.songs["song_id"].to_pylist())
    material = Material(
        songs=songs,
        split=np.array(built.songs["split"].to_pylist(), np.str_),
        fold=np.array(built.songs["fold"].fill_null(NO_FOLD).to_pylist(), np.int64),
        targets=targets,
        translations=tuple(translation[target.group, target.key] or target.label for target in targets),
        rated=mean_ratings(built.cells, songs, targets),
    )
    if not np.isfinite(material.rated[material.split == "train"]).any():
        raise InputError(f"{folder}: nobody rated a training song, so there is nothing to learn from")
    return material


def read_tracks(folder: Path) -> Material:
    """The tracks and scores of a built MADB folder; InputError where it is none."""
    if read_manifest(folder).get("name") != NAME:
        raise InputError(f"{folder}: is no built MADB folder; `python -m build madb` makes one")
    columns = ["id", "split", *SCORES]
    shards = [pq.read_table(path, columns=columns) for path in sorted(folder.glob("scores/*.parquet"))]
    table = pa.concat_tables(shards).sort_by("id")
    tracks = tuple(map(str, table["id"].to_pylist()))
    split = np.array(table["split"].to_pylist(), np.str_)
    return Material(
        songs=tracks,
        split=split,
        fold=np.where(split == "train", [int(position(track) * TRACK_FOLDS) for track in tracks], NO_FOLD),
        targets=tuple(Target(NAME, name, column) for name, column in SCORES.items()),
        translations=tuple(SCORES),
        rated=np.column_stack([table[name].cast(pa.float64()).fill_null(np.nan).to_numpy() for name in SCORES]),
    )


def write_predictions(path: Path, songs: Sequence[str], targets: Sequence[Target], predicted: Floats) -> None:
    """Write predictions (songs, targets) as Parquet: `song_id`, and a column for each target.

    Columns are called `language:term_id`, or `madb:dimension`.
    """
    columns = {f"{target.group}:{target.key}": predicted[:, index] for index, target in enumerate(targets)}
    with whole_file(path) as partial:
        pq.write_table(pa.table({"song_id": list(songs), **columns}), partial, compression="zstd")
