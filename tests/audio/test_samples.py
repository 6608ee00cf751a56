"""Frames joined by what most of their time stamps say."""

import av
import numpy as np
import pytest

from build.audio.samples import HoleError, Stretch, agreed_origin, copy_samples


def frame(samples: np.ndarray, kind: str = "fltp") -> av.AudioFrame:
    made = av.AudioFrame.from_ndarray(samples, format=kind, layout="stereo")
    made.sample_rate = 48_000
    return made


def ramp(first: int, n_samples: int) -> np.ndarray:
    return np.arange(first, first + n_samples, dtype=np.float32) * np.array([[1], [-1]], np.float32)


def stretch_of(places: list[int], n_samples: int = 100) -> Stretch:
    stretch = Stretch(2, n_samples * len(places))
    for number, place in enumerate(places):
        stretch.append(frame(ramp(1_000 + number * n_samples, n_samples)), place)
    return stretch


def test_cut_takes_the_samples_at_their_places():
    cut = stretch_of([1_000, 1_100, 1_200, 1_300]).cut(1_150, 120)
    assert np.array_equal(cut, ramp(1_150, 120))


def test_one_late_time_stamp_is_overruled():
    assert np.array_equal(stretch_of([1_044, 1_100, 1_200, 1_300, 1_400, 1_500]).cut(1_150, 10), ramp(1_150, 10))


def test_halves_that_disagree_are_a_hole():
    with pytest.raises(HoleError, match=r"put the same sample at \[1000, 1050\]"):
        stretch_of([1_000, 1_100, 1_250, 1_350]).cut(1_150, 10)


@pytest.mark.parametrize(("start", "count"), [(999, 10), (1_395, 10)])
def test_cut_beyond_what_was_decoded_is_a_hole(start, count):
    with pytest.raises(HoleError, match=rf"samples {start} to {start + count} are wanted, 1000 to 1400 were"):
        stretch_of([1_000, 1_100, 1_200, 1_300]).cut(start, count)


def test_nothing_decoded_is_a_hole():
    with pytest.raises(HoleError, match="no time stamps"):
        agreed_origin([])


def test_stretch_takes_no_more_than_it_has_room_for():
    stretch = Stretch(2, 150)
    stretch.append(frame(ramp(0, 100)), 0)
    assert not stretch.full
    stretch.append(frame(ramp(100, 100)), 100)
    assert stretch.full
    assert np.array_equal(stretch.cut(0, 150), ramp(0, 150))


@pytest.mark.parametrize(
    ("kind", "values", "full_scale"),
    [
        ("u8", [0, 128, 192, 255], 128),
        ("s16", [-32_768, 0, 16_384, 1], 2**15),
        ("s32", [-(2**31), 0, 2**30, 256], 2**31),
    ],
)
@pytest.mark.parametrize("planar", [True, False])
def test_whole_numbers_become_floats(kind, values, full_scale, planar):
    type_ = {"u8": np.uint8, "s16": np.int16, "s32": np.int32}[kind]
    both = np.array([values, values[::-1]], type_)
    given = frame(both, kind + "p") if planar else frame(np.ascontiguousarray(both.T).reshape(1, -1), kind)
    target = np.empty((2, 4), np.float32)
    copy_samples(given, target)
    assert np.array_equal(target, (both.astype(float) - (128 if kind == "u8" else 0)) / full_scale)
