import numpy as np
import pytest

from build.baselines.features import RATE_HZ, features


def tone(hz, seconds=3.0, level=0.3):
    return (level * np.sin(2 * np.pi * hz * np.arange(int(seconds * RATE_HZ)) / RATE_HZ)).astype(np.float32)


@pytest.mark.parametrize(
    "samples",
    [
        np.zeros(RATE_HZ * 3, np.float32),
        tone(440),
        np.random.default_rng(0).normal(0, 0.1, RATE_HZ * 15).astype(np.float32),
    ],
    ids=["silence", "a tone", "noise"],
)
def test_features_are_always_as_many_and_finite(samples):
    values = features(samples)
    assert values.shape == (201,)
    assert np.isfinite(values).all()


def test_a_brighter_sound_has_a_higher_centroid():
    """The mean centroid stands behind the moments of 40 bands, their changes, 12 chroma and the level."""
    place = 2 * (40 + 40 + 12 + 1)
    assert features(tone(440))[place] == pytest.approx(440, rel=0.15)
    assert features(tone(2000))[place] == pytest.approx(2000, rel=0.05)
