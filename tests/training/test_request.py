"""`build.training.request`: what can be asked for."""

import pytest

from build.training.request import Request


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"config": "klingon"}, "config is 'klingon'; it is one of all, english"),
        ({"config": "songs"}, "config is 'songs'"),
        ({"split": "validation"}, "split is 'validation'; it is one of train, test"),
        ({"ranks": "fair"}, "ranks is 'fair'; it is one of exact, even"),
        ({"batch_size": 0}, "batch_size is 0; it is a whole number from 1 on"),
        ({"batch_size": 2.5}, "batch_size is 2.5"),
        ({"rate_hz": 0}, "rate_hz is 0"),
        ({"shuffle": True}, "shuffle, a seed, is True; it is a whole number from 0 on"),
        ({"shuffle": -1}, "shuffle, a seed, is -1"),
        ({"epoch": -1}, "epoch is -1"),
        ({"world_size": 0}, "world_size is 0"),
        ({"rank": 2, "world_size": 2}, "rank is 2; it is a whole number from 0 to 1"),
        (
            {"location": "https://example.org/gm", "revision": "v1"},
            "revision 'v1' selects a version of a Hub repository",
        ),
    ],
)
def test_what_is_wrong_is_said(wrong, message):
    with pytest.raises(ValueError, match=message):
        Request(**{"location": "somewhere"} | wrong)


def test_zero_is_a_seed():
    assert Request("somewhere", shuffle=0).shuffle == 0


@pytest.mark.parametrize(
    ("location", "revision", "root"),
    [
        ("org/globalmood", None, "hf://datasets/org/globalmood"),
        ("org/globalmood", "v1.0.0", "hf://datasets/org/globalmood@v1.0.0"),
        ("https://example.org/globalmood", None, "https://example.org/globalmood"),
        ("hf://datasets/org/globalmood@v1", None, "hf://datasets/org/globalmood@v1"),
    ],
)
def test_addresses(location, revision, root):
    assert Request(location, revision).root == root


def test_a_folder_is_its_own_address(tmp_path):
    assert Request(str(tmp_path)).root == str(tmp_path)


def test_shapes_of_the_sound():
    assert Request("x").sound_shape == (2, 720_000)
    assert Request("x", rate_hz=24_000, mono=True).sound_shape == (1, 360_000)
