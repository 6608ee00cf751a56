"""CLAP on GlobalMood: zero-shot, and fine-tuned by the paper's recipe (section 5.1)."""

from functools import cache
from pathlib import Path

import numpy as np

from build.baselines.clap.captions import TokenCount
from build.baselines.clap.checkpoints import Checkpoints, Progress
from build.baselines.clap.lessons import MoodLessons
from build.baselines.clap.model import Clap, embed_texts, load_clap, song_vector
from build.baselines.clap.training import Say, TuneOptions, train
from build.baselines.embeddings import embed_songs
from build.baselines.material import Material, read_material, write_predictions
from build.baselines.place import Place
from build.baselines.soundfiles import lay_out, variant_stage
from build.baselines.sounds import sound_groups
from build.errors import InputError

LEAST_LEARNT = 2  # songs that a batch needs, to tell one from the other
LEAST_HELD = 3  # songs that a correlation needs
NATIVE, TRANSLATED = "native", "translated"


def predict_moods(model: str, terms: str, place: Place, out: Path) -> int:
    """Write the cosine of song and term for every test song with sound; return how many there are."""
    material = read_material(place.folder)
    clap = load_clap(model, place.device)
    songs = {song for song, split in zip(material.songs, material.split, strict=True) if split == "test"}
    groups = [group for group in sound_groups(place.folder) if any(song in songs for song, _ in group.content)]
    if not groups:
        raise InputError(f"{place.folder}: no test song has sound; build it with more audio")
    vectors = embed_songs(groups, f"clap:{model}", place.device, place.cache, place.workers, place.dask)
    test = sorted(songs & set(vectors))
    told = embed_texts(clap, texts_of(material, terms))
    predicted = np.stack([song_vector(vectors[song]) for song in test]) @ told.T
    write_predictions(out, test, material.targets, predicted)
    return len(test)


def tune(
    options: TuneOptions, terms: str, held_fold: int, n_variants: int, place: Place, out: Path, say: Say
) -> Progress:
    """Fine-tune one model for all languages; `out` holds its checkpoints, the best by the held-out fold among them."""
    material = read_material(place.folder)
    clap = load_clap(options.model, place.device)
    stage = variant_stage(clap.rate_hz, options.seed, n_variants)
    sounds = lay_out(stage, sound_groups(place.folder), place.cache, place.workers, place.dask)
    lessons = MoodLessons(
        material=material,
        texts=texts_of(material, terms),
        sounds=sounds,
        held_fold=held_fold,
        max_tokens=clap.max_tokens,
        batch_size=options.batch_size,
        seed=options.seed,
        count_tokens=_token_count(clap),
    )
    for purpose, held, least in (("learn from", False, LEAST_LEARNT), ("hold out", True, LEAST_HELD)):
        if len(lessons.songs(held)) < least:
            raise InputError(
                f"{place.folder}: too few songs to {purpose} have sound, {least} are needed with fold {held_fold} held "
                "out; build it with more audio, or name another --held-fold"
            )
    checkpoints = Checkpoints(
        out, options.identity(f"moods, {terms} terms, {n_variants} variants, fold {held_fold} held out")
    )
    return train(clap, lessons, options, checkpoints, say)


def texts_of(material: Material, terms: str) -> tuple[str, ...]:
    """The text that stands for each target."""
    native = tuple(target.label for target in material.targets)
    return {NATIVE: native, TRANSLATED: material.translations}[terms]


def _token_count(clap: Clap) -> TokenCount:
    @cache
    def count(term: str) -> int:
        return len(clap.tokenizer(" " + term, add_special_tokens=False)["input_ids"])

    return count
