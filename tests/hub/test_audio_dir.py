"""Clips that a user has, joined to a dataset that was published without audio."""

import shutil
from pathlib import Path

import datasets
import numpy as np
import pytest
import soundfile
from datasets import Audio

import globalmood

pytestmark = pytest.mark.contract

LEVELS = {"song-00": 0.25, "song-05": 0.5}  # of a constant sound, which tells whose it is
STREAMING = pytest.mark.parametrize("streaming", [False, True])


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.fixture
def clips(tmp_path) -> Path:
    folder = tmp_path / "clips"
    folder.mkdir()
    for extension, (song_id, level) in zip(("wav", "flac"), LEVELS.items(), strict=True):
        sound = np.full((15 * 48_000, 2), level)
        soundfile.write(folder / f"{song_id}.{extension}", sound, 48_000)
    return folder


def joined(folder, clips, **kw):
    return globalmood.load("korean", data_dir=folder, audio_dir=clips, **kw)


def raw(rows) -> dict[str, dict | None]:
    return {row["song_id"]: row["audio"] for row in rows.cast_column("audio", Audio(decode=False))}


@STREAMING
def test_songs_with_a_clip_point_to_it_and_the_others_stay_null(silent, clips, streaming):
    audio = raw(joined(silent, clips, split="train", streaming=streaming))
    paths = {song_id: cell["path"] for song_id, cell in audio.items() if cell}
    assert paths == {"song-00": str(clips / "song-00.wav"), "song-05": str(clips / "song-05.flac")}
    assert all(cell["bytes"] is None for cell in audio.values() if cell)
    assert len(audio) == 8


@STREAMING
def test_the_sound_is_that_of_the_clip(silent, clips, streaming):
    rows = joined(silent, clips, split="train", streaming=streaming).cast_column("audio", Audio(decode=False))
    for row in rows:
        sound, rate_hz = globalmood.waveform(row["audio"])
        level = LEVELS.get(row["song_id"])
        assert rate_hz == 48_000
        assert sound.shape == ((2, 720_000) if level else (2, 0))
        assert level is None or np.allclose(sound, level, atol=1e-4)


@STREAMING
def test_every_split_is_joined_and_keeps_its_columns(silent, clips, streaming):
    shutil.copy(clips / "song-00.wav", clips / "song-08.wav")  # a song of the test split
    loaded = joined(silent, clips, streaming=streaming)
    features = dict(globalmood.FEATURES["korean"])
    if not globalmood.can_decode():
        features["audio"] = Audio(sampling_rate=48_000, decode=False)
    assert {split: rows.features for split, rows in loaded.items()} == dict.fromkeys(("train", "test"), features)
    assert raw(loaded["test"])["song-08"]["path"] == str(clips / "song-08.wav")


@STREAMING
def test_nothing_is_decoded_while_joining(silent, clips, streaming, monkeypatch):
    def decode(*_, **__):
        raise AssertionError("decoded")

    monkeypatch.setattr(Audio, "decode_example", decode)
    assert len(raw(joined(silent, clips, split="train", streaming=streaming))) == 8


def test_a_clip_takes_the_place_of_published_audio(built, clips):
    audio = raw(joined(built, clips, split="train"))
    assert audio["song-00"]["path"] == str(clips / "song-00.wav")
    assert audio["song-01"]["bytes"].startswith(b"fLaC")


def test_a_stream_goes_on_where_it_was(silent, clips):
    stream = joined(silent, clips, split="train", streaming=True).cast_column("audio", Audio(decode=False))
    all_ids, ids = [row["song_id"] for row in stream], iter(stream)
    first = [next(ids)["song_id"] for _ in range(3)]
    again = joined(silent, clips, split="train", streaming=True).cast_column("audio", Audio(decode=False))
    again.load_state_dict(stream.state_dict())
    assert first + [row["song_id"] for row in again] == all_ids


def test_a_folder_that_is_not_there_is_refused(silent, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*nowhere of clips\."):
        joined(silent, tmp_path / "nowhere")


def test_an_empty_folder_is_refused(silent, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty must hold one file a song, SONG_ID\.EXTENSION; it holds none"):
        joined(silent, tmp_path / "empty")


def test_two_clips_of_a_song_are_refused(silent, clips):
    shutil.copy(clips / "song-00.wav", clips / "song-00.flac")
    with pytest.raises(ValueError, match=r"must hold one file a song, .*\['song-00\.flac'\]"):
        joined(silent, clips)


def test_links_to_files_of_other_names_are_clips(silent, clips, tmp_path):
    links = tmp_path / "links"  # as the snapshots of huggingface_hub are
    links.mkdir()
    for path in clips.iterdir():
        (links / path.name).symlink_to(path.rename(tmp_path / f"blob-{path.stem}"))
    audio = raw(joined(silent, links, split="train"))
    assert {song_id for song_id, cell in audio.items() if cell} == set(LEVELS)


def test_clips_of_other_songs_are_refused(silent, clips):
    for path in clips.iterdir():
        path.rename(path.with_stem(f"my-{path.stem}"))
    with pytest.raises(ValueError, match=r"no file there is named by a song of .*; one is 'my-song-00'"):
        joined(silent, clips)


def test_a_config_without_audio_is_refused(silent, clips):
    with pytest.raises(ValueError, match=r"audio_dir=.* cannot be joined: config 'ratings' has no audio\."):
        globalmood.load("ratings", data_dir=silent, audio_dir=clips)


def test_token_and_cache_reach_the_first_step_of_load(silent, tmp_path, monkeypatch):
    known, asked = datasets.load_dataset_builder, []
    monkeypatch.setattr(datasets, "load_dataset_builder", lambda *a, **kw: asked.append(kw) or known(*a, **kw))
    globalmood.load("terms", data_dir=silent, token="hf_mine", cache_dir=str(tmp_path / "own"))  # noqa: S106
    assert (asked[0]["token"], asked[0]["cache_dir"]) == ("hf_mine", str(tmp_path / "own"))
