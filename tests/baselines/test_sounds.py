import numpy as np
import pytest

from build.baselines.sounds import dataset_of, payloads, sound_groups, sounds
from build.errors import InputError
from tests.baselines.made import with_sound


def test_every_song_with_sound_is_in_one_group(songs):
    ids = [song_id for group in sound_groups(songs) for song_id, _ in group.content]
    assert sorted(ids) == [f"m{index:03d}" for index in range(39)]


def test_sound_is_mono_at_the_rate_asked_for(songs):
    group = sound_groups(songs)[0]
    sound = next(sounds(group, 16_000))
    assert sound.samples.shape == (40_000,)
    assert sound.samples.dtype == np.float32


def test_payloads_are_the_bytes_of_the_files(songs):
    for song_id, audio in payloads(sound_groups(songs)[0]):
        assert audio["bytes"] == (songs.parent / "clips" / f"{song_id}.flac").read_bytes()


def test_a_folder_without_sound_is_refused(tmp_path):
    with pytest.raises(InputError, match="no song has sound; build it with audio first"):
        sound_groups(with_sound(tmp_path, n_songs=4, silent=4))


def test_a_folder_says_which_dataset_it_holds(songs):
    assert dataset_of(songs) == "globalmood"
