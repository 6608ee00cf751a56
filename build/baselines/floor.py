"""The floor: features and ridge regression, for every language, in a minute on a CPU."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from build.analysis.correlation import Floats
from build.baselines.features import STAGE
from build.baselines.material import Material, read_material, write_predictions
from build.baselines.ridge import choose
from build.baselines.sounds import sound_groups
from build.baselines.stage import run_stage


class Chosen(NamedTuple):
    """What the folds chose for a language, and how well it did on them (the primary measure)."""

    language: str
    alpha: float
    cross_validated: float


def predict_by_features(folder: Path, out: Path, cache: Path, workers: int, dask: str | None = None) -> list[Chosen]:
    """Predict the test songs of `folder` from features of their sound; return what was chosen on the training folds.

    Songs without sound are neither learnt from nor predicted.
    """
    table = run_stage(STAGE, sound_groups(folder), cache, workers, dask).sort_by("song_id")
    material = read_material(folder).only(table["song_id"].to_pylist())
    heard = np.stack(table["features"].to_numpy(zero_copy_only=False)).astype(np.float64)
    train = material.split == "train"
    predicted, chosen = _by_language(material, heard, train)
    test = [song_id for song_id, learnt in zip(material.songs, train, strict=True) if not learnt]
    write_predictions(out, test, material.targets, predicted)
    return chosen


def _by_language(material: Material, heard: Floats, train: np.ndarray) -> tuple[Floats, list[Chosen]]:
    predicted = np.full((int((~train).sum()), len(material.targets)), np.nan)
    chosen = []
    for language in dict.fromkeys(target.group for target in material.targets):
        columns = [index for index, target in enumerate(material.targets) if target.group == language]
        model = choose(heard[train], material.rated[train][:, columns], material.fold[train])
        predicted[:, columns] = model.predict(heard[~train])
        chosen.append(Chosen(language, model.alpha, model.tried[model.alpha]))
    return predicted, chosen
