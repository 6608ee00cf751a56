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

NATIVE, TRANSLATED = "native", "translated"


def predict_moods(model: str, terms: str, place: Place, out: Path) -> int:
    """Write the cosine of song and term for every test song with sound; return how many there are."""
    vectors = embed_songs(place.folder, f"clap:{model}", place.device, place.cache, place.workers)
    material = read_material(place.folder)
    test = [
        song for song, split in zip(material.songs, material.split, strict=True) if split == "test" and song in vectors
    ]
    told = embed_texts(load_clap(model, place.device), texts_of(material, terms))
    predicted = np.stack([song_vector(vectors[song]) for song in test]) @ told.T
    write_predictions(out, test, material.targets, predicted)
    return len(test)


def tune(
    options: TuneOptions, terms: str, held_fold: int, n_variants: int, place: Place, out: Path, say: Say
) -> Progress:
    """Fine-tune one model for all languages; `out` holds its checkpoints, the best by the held-out fold among them."""
    clap = load_clap(options.model, place.device)
    stage = variant_stage(clap.rate_hz, options.seed, n_variants)
    sounds = lay_out(stage, sound_groups(place.folder), place.cache, place.workers)
    material = read_material(place.folder)
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
