import contextlib

import numpy as np
import pytest
import soundfile

from build.baselines import stage
from build.baselines.soundfiles import lay_out, read_crop, variant_stage, window_stage, windows
from build.baselines.sounds import sound_groups, sounds
from tests.baselines.here import Here


@pytest.fixture(scope="module")
def laid_out(songs, tmp_path_factory):
    cache = tmp_path_factory.mktemp("variants")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "workers_at", lambda dask, workers: contextlib.nullcontext(Here()))
        return lay_out(variant_stage(48_000, 0, 2), sound_groups(songs)[:2], cache, workers=1)


def test_every_song_has_its_original_and_its_variants(laid_out):
    assert {len(files) for files in laid_out.values()} == {3}


def test_the_original_is_the_song(songs, laid_out):
    sound = next(sounds(sound_groups(songs)[0], 48_000))
    assert np.array_equal(soundfile.read(laid_out[sound.song_id][0], dtype="float32")[0], sound.samples)


def test_files_hold_floating_point_so_that_nothing_is_clipped(laid_out):
    files = [path for paths in laid_out.values() for path in paths]
    assert {soundfile.info(path).subtype for path in files} == {"FLOAT"}


def test_variants_are_the_same_again_in_another_place(songs, laid_out, tmp_path, here):
    again = lay_out(variant_stage(48_000, 0, 2), sound_groups(songs)[:2], tmp_path, workers=1)
    for song_id, files in laid_out.items():
        assert [path.read_bytes() for path in files] == [path.read_bytes() for path in again[song_id]]


def test_windows_run_evenly_from_the_beginning_to_the_end():
    parts = windows(np.arange(100, dtype=np.float32), 40, 3)
    assert [part[0] for part in parts] == [0, 30, 60]
    assert {len(part) for part in parts} == {40}


def test_a_sound_shorter_than_a_window_is_one_window():
    assert [len(part) for part in windows(np.zeros(30, np.float32), 40, 3)] == [30]


def test_windows_of_tracks_are_laid_out(songs, tmp_path, here):
    files = lay_out(window_stage(48_000, 96_000, 3), sound_groups(songs)[:1], tmp_path, workers=1)
    assert {soundfile.info(path).frames for paths in files.values() for path in paths} == {96_000}


def test_a_crop_lies_anywhere_in_the_file(laid_out):
    path = next(iter(laid_out.values()))[0]
    whole = soundfile.read(path, dtype="float32")[0]
    crops = [read_crop(path, 96_000, np.random.default_rng(seed)) for seed in range(6)]
    assert all(len(crop) == 96_000 for crop in crops)
    assert len({crop[0].tobytes() for crop in crops}) > 1
    assert any(np.array_equal(whole[start : start + 96_000], crops[0]) for start in range(len(whole) - 96_000 + 1))


def test_a_crop_of_a_shorter_file_is_the_file(laid_out):
    path = next(iter(laid_out.values()))[0]
    assert len(read_crop(path, 10**6, np.random.default_rng(0))) == 120_000
