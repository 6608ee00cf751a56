"""CLAP adapted to what annotators write, by a tiny model; the result is an encoder for a head."""

import re

import numpy as np
import pytest

from build.baselines.aesthetics.comments import CommentLessons, read_comments
from build.baselines.material import read_tracks
from build.errors import InputError
from build.scoring import score
from tests.baselines.made import LONG_COMMENT, tracks_with_sound


def test_adapted_clap_is_an_encoder_for_a_head(tracks, clap_folder, command, tmp_path):
    out, where = tmp_path / "adapted", ("--data", tracks, "--batch", 8)
    said = command("baseline", "comments", *where, "--model", clap_folder, "--tags", "--epochs", 2, "--out", out)
    assert re.findall(r"epoch (\d): loss \d+\.\d+, held out -\d+\.\d+; 16 tracks with a comment each", said) == [
        "1",
        "2",
    ]
    assert f"go on with `python -m build baseline head --encoder clap:{out}/best`" in said
    assert (out / "best" / "model.safetensors").read_bytes() != (clap_folder / "model.safetensors").read_bytes()
    encoder = ("--encoder", f"clap:{out}/best")
    command("baseline", "head", *where, *encoder, "--epochs", 1, "--out", tmp_path / "p.parquet")
    result = score(tmp_path / "p.parquet", "madb", tracks, n_draws=100)
    assert np.isfinite(result["scores"]["madb"]["targets"][0]["mse"])


def test_comments_that_are_too_long_are_cut_off_and_counted(tracks, clap_folder, command, tmp_path):
    where = ("--data", tracks, "--batch", 8, "--epochs", 1, "--out", tmp_path / "adapted")
    said = command("baseline", "comments", *where, "--model", clap_folder)
    assert "16 tracks with a comment each; 1 texts were cut off" in said


def test_comments_of_ten_words_or_more_go_before_shorter_ones(tracks):
    comments, tags = read_comments(tracks)
    assert comments["2"] == ["a melody that stays with me for the whole long day"]
    assert comments["1"] == [LONG_COMMENT]
    assert tags["1"] == "genre: pop, dj; mood: sad, happy"


def lessons(tracks, tags):
    comments, told = read_comments(tracks)
    material = read_tracks(tracks)
    sounds = {track: [tracks / f"{track}.{number}" for number in range(3)] for track in material.songs}
    return CommentLessons(material, comments, told if tags else {}, sounds, 8, 0)


def test_held_out_and_validation_tracks_are_not_learnt_from(tracks):
    shown = {example.song_id for batch in lessons(tracks, tags=True).epoch(0)[0] for example in batch}
    material = read_tracks(tracks)
    away = np.array(material.songs)[(material.split == "validation") | (material.fold == 0)]
    assert len(shown) == 16  # a batch of the last one alone would have nothing to tell it from
    assert not shown & set(away.tolist())


def test_tags_are_a_second_text_if_asked_for(tracks):
    with_tags, without = (lessons(tracks, tags).epoch(0)[0][0][0].texts for tags in (True, False))
    assert with_tags == (*without, "genre: pop, dj; mood: sad, happy")
    assert lessons(tracks, tags=True).weights == (1.0, 0.2)


def test_a_folder_without_comments_says_what_to_build_it_from(clap_folder, command, tmp_path):
    folder = tracks_with_sound(tmp_path, n_tracks=4, comments=False)
    with pytest.raises(
        InputError, match=r"has no comments; build it from a source with single annotations \(MADB_data"
    ):
        command("baseline", "comments", "--data", folder, "--model", clap_folder)


def test_too_few_tracks_are_said(clap_folder, command, tmp_path):
    folder = tracks_with_sound(tmp_path, n_tracks=6)
    with pytest.raises(InputError, match="too few tracks to hold out have sound and comments, 2 are needed"):
        command("baseline", "comments", "--data", folder, "--model", clap_folder)
