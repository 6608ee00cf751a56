"""Fine-tuning by the paper's recipe, with a tiny model: from the command to a model that predicts; also if killed."""

import re
import shutil

import numpy as np
import pytest
import torch

from build.baselines.clap import training
from build.baselines.clap.checkpoints import Checkpoints, Progress
from build.baselines.clap.lessons import MoodLessons
from build.baselines.clap.model import load_clap
from build.baselines.clap.moods import texts_of
from build.baselines.material import read_material
from build.errors import InputError, RunError
from build.scoring import score
from tests.baselines.made import with_sound


class KilledError(BaseException):
    """Nothing that the command line would turn into a message."""


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return with_sound(tmp_path_factory.mktemp("few"), n_songs=18, silent=1)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A work folder that keeps the variants of `few`."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def tune(few, clap_folder, kept, command):
    def run(out, *options: object, epochs: int = 2) -> str:
        where = ("--data", few, "--model", clap_folder, "--out", out, "--work", kept)
        return command("baseline", "clap-tune", *where, "--variants", 1, "--batch", 8, "--epochs", epochs, *options)

    return run


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


def test_tuning_says_how_it_goes_and_gives_a_model_that_predicts(few, clap_folder, tune, command, tmp_path):
    said = tune(tmp_path / "tuned")
    lines = re.findall(
        r"epoch (\d): loss \d\.\d{4}, held out -?\d\.\d{4}; (\d+) of (\d+) texts outgrew 96 tokens", said
    )
    assert [(number, sampled) for number, sampled, _ in lines] == [("1", lines[0][2]), ("2", lines[0][2])]
    assert "cut off" not in said
    best = tmp_path / "tuned" / "best"
    assert weights(best) != weights(clap_folder)
    command("baseline", "clap", "--data", few, "--model", best, "--out", tmp_path / "p.parquet")
    result = score(tmp_path / "p.parquet", "globalmood:all", few, n_draws=100)
    assert np.isfinite(result["overall"]["primary"]["value"])


def test_a_run_that_was_killed_ends_as_if_it_had_not_been(tune, tmp_path, monkeypatch):
    tune(tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "keep", _killed_the_second_time(Checkpoints.keep))
        with pytest.raises(KilledError):
            tune(tmp_path / "killed")
    said = tune(tmp_path / "killed", "--loaders", 1)
    assert "epoch 1" not in said
    for name in ("last", "best"):
        assert weights(tmp_path / "killed" / name) == weights(tmp_path / "whole" / name)


def _killed_the_second_time(keep):
    kept = []

    def keep_or_die(*arguments):
        if kept:
            raise KilledError
        kept.append(keep(*arguments))

    return keep_or_die


def test_more_epochs_go_on_from_a_finished_run_and_other_options_do_not(tune, tmp_path):
    tune(tmp_path / "tuned", epochs=1)
    assert "epoch 1" not in tune(tmp_path / "tuned", epochs=1)
    with pytest.raises(InputError, match=r"was trained with other options \(lessons, seed\); name another --out"):
        tune(tmp_path / "tuned", "--seed", 7, "--terms", "translated")


def test_a_checkpoint_is_found_where_a_crash_left_it_between_two_names(clap_folder, tmp_path):
    clap = load_clap(str(clap_folder), "cpu")
    optimizer = torch.optim.AdamW(clap.model.parameters())
    Checkpoints(tmp_path, {"seed": 0}).keep(clap, optimizer, Progress((0.25,)))
    shutil.move(tmp_path / "last", tmp_path / ".last.old")
    assert Checkpoints(tmp_path, {"seed": 0}).resume(clap, optimizer) == Progress((0.25,))


def test_the_best_epoch_is_the_first_of_equals_and_never_one_without_a_measure():
    assert Progress((float("nan"), 0.1, 0.3, 0.3)).best == 2
    assert Progress().best is None


def test_a_fold_that_is_not_there_is_refused(tune, tmp_path):
    with pytest.raises(InputError, match="too few songs to hold out have sound, 3 are needed with fold 9 held out"):
        tune(tmp_path / "tuned", "--held-fold", 9)


def test_a_loss_that_is_no_number_ends_the_run(tune, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "contrastive", lambda clap, sounds, texts: sounds.sum() * float("nan"))
    with pytest.raises(RunError, match="epoch 1, batch 1: the loss is nan; try a lower --rate"):
        tune(tmp_path / "tuned")


@pytest.fixture(scope="module")
def lessons(songs, tmp_path_factory):
    """Those of 40 songs, with two files each that nobody reads here."""
    material = read_material(songs)
    folder = tmp_path_factory.mktemp("files")
    sounds = {song: [folder / f"{song}.{number}" for number in range(2)] for song in material.songs}
    texts = texts_of(material, "translated")
    return MoodLessons(material, texts, sounds, 0, 500, 8, 0, lambda term: 1)


def test_an_epoch_shows_every_training_song_but_the_held_once_a_language(lessons):
    batches, _ = lessons.epoch(0)
    shown = [example.song_id for batch in batches for example in batch]
    material = lessons.material
    learnt = {
        song
        for song, split, fold in zip(material.songs, material.split, material.fold, strict=True)
        if split == "train" and fold != 0
    }
    assert set(shown) == learnt
    assert all(len({example.song_id for example in batch}) == len(batch) for batch in batches)
    assert max(shown.count(song) for song in learnt) == 5


def test_texts_repeat_terms_by_ratings_and_are_in_one_language_each(lessons):
    batches, sentence = lessons.epoch(0)
    locales = [{word[:2] for word in example.texts[0].split()} for batch in batches for example in batch]
    assert {len(found) for found in locales} == {1}
    assert len(set.union(*locales)) == 5
    assert sentence.startswith("0 of ")


def test_every_epoch_is_another_that_follows_from_seed_and_number(lessons):
    assert lessons.epoch(1)[0] == lessons.epoch(1)[0]
    assert lessons.epoch(1)[0] != lessons.epoch(2)[0]


def test_texts_are_terms_or_their_translations(part_of_sample):
    material = read_material(part_of_sample)
    korean = [index for index, target in enumerate(material.targets) if target.group == "korean"]
    native, translated = texts_of(material, "native"), texts_of(material, "translated")
    assert all(not native[index].isascii() and translated[index].isascii() for index in korean)


def test_the_sample_is_learnt_from(part_of_sample, clap_folder, command, tmp_path):
    where = ("--data", part_of_sample, "--model", clap_folder, "--out", tmp_path / "tuned")
    said = command("baseline", "clap-tune", *where, "--variants", 0, "--batch", 8, "--epochs", 1)
    assert "epoch 1: loss" in said
    assert "80 of 80 texts outgrew 96 tokens and were sampled" in said
    assert weights(tmp_path / "tuned" / "best") != weights(clap_folder)
