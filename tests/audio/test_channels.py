"""The stated downmix."""

import av
import numpy as np
import pytest

from build.audio.channels import to_stereo
from build.audio.status import UnusableError

HALF = 0.70710678


def mixed(layout: str) -> np.ndarray:
    """What a unit on each channel in turn gives in the left and in the right, shape (2, channels)."""
    names = tuple(channel.name for channel in av.AudioLayout(layout).channels)
    return to_stereo(np.eye(len(names), dtype=np.float32), names)


def test_mono_becomes_dual_mono():
    assert np.array_equal(mixed("mono"), [[1], [1]])


def test_stereo_stays():
    assert np.array_equal(mixed("stereo"), np.eye(2))


@pytest.mark.parametrize("layout", ["5.1", "5.1(side)"])
def test_surround_follows_bs_775(layout):
    expected = [[1, 0, HALF, 0, HALF, 0], [0, 1, HALF, 0, 0, HALF]]
    assert np.allclose(mixed(layout), expected)


def test_antiphase_surround_does_not_cancel_the_fronts():
    samples = np.array([[1], [-1], [0], [0], [0], [0]], np.float32)
    assert np.array_equal(to_stereo(samples, ("FL", "FR", "FC", "LFE", "BL", "BR")), [[1], [-1]])


def test_unknown_channels_are_named():
    with pytest.raises(UnusableError, match=r"no stereo downmix for the channels \['TFL'\]") as caught:
        to_stereo(np.zeros((3, 4), np.float32), ("FL", "FR", "TFL"))
    assert caught.value.status == "decode_error"
