"""What a baseline learns from and writes: mean ratings of a built folder, and predictions for its songs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from build.analysis.correlation import Floats
from build.errors import InputError
from build.files import whole_file
from build.report.built import read_built
from build.scoring.truth import Target, mean_ratings, targets_of
from globalmood import LANGUAGES

NO_FOLD = -1  # of test songs


@dataclass(frozen=True)
class Material:
    """Songs of a built GlobalMood folder: `split` and `fold` (songs,), and mean ratings `rated` (songs, targets).

    `translations` (targets,) are the terms in English.
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

    Raises InputError where nobody rated a training song.
    """
    built = read_built(folder)
    targets = targets_of(built.terms, languages or [language.config for language in LANGUAGES])
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


def write_predictions(path: Path, songs: Sequence[str], targets: Sequence[Target], predicted: Floats) -> None:
    """Write predictions (songs, targets) as Parquet: `song_id`, and a column `language:term_id` for each target."""
    columns = {f"{target.group}:{target.key}": predicted[:, index] for index, target in enumerate(targets)}
    with whole_file(path) as partial:
        pq.write_table(pa.table({"song_id": list(songs), **columns}), partial, compression="zstd")
