import math

import numpy as np
import pyarrow as pa
import pytest

from build.errors import InputError
from build.scoring.align import NOTES, align
from build.scoring.predictions import read_predictions
from tests.scoring.made import truth

RATED = [[1, 1], [2, 3], [3, 2]]


def aligned(columns: dict[str, list], keys: tuple[str, ...] = ("korean:t0", "french:t1")):
    values, notes = align(read_predictions(pa.table(columns)), truth(RATED, keys))
    return values, {note.kind: note.text for note in notes}


def test_rows_and_columns_in_any_order_are_put_in_place():
    values, notes = aligned({"t1": [5, 3, 1], "id": ["s2", "s1", "s0"], "t0": [6, 4, 2]})
    assert values.tolist() == [[2, 1], [4, 3], [6, 5]]
    assert notes == {}


@pytest.mark.parametrize("name", ["t0", "T0", " korean:T0 ", "KOREAN:t0", "\uff54\uff10"])
def test_a_column_is_known_by_id_or_text_alone_or_with_its_language(name):
    values, _ = aligned({"id": ["s0", "s1", "s2"], name: [2, 4, 6], "t1": [1, 2, 3]})
    assert values[:, 0].tolist() == [2, 4, 6]


def test_a_term_of_two_languages_must_be_told_apart():
    with pytest.raises(InputError, match=r"column 't0' could be korean:t0 or french:t0; name it so"):
        aligned({"id": ["s0"], "t0": [1]}, ("korean:t0", "french:t0"))


def test_two_columns_for_one_term_are_refused():
    with pytest.raises(InputError, match=r"'t0' and 'korean:t0' are both korean:t0; keep one"):
        aligned({"id": ["s0"], "t0": [1], "korean:t0": [2]})


def test_missing_songs_are_said():
    values, notes = aligned({"id": ["s0", "s2"], "t0": [1, 2], "t1": [1, 2]})
    assert np.isnan(values[1]).all()
    assert notes == {"missing_songs": f"1 of 3 songs (s1): {NOTES['missing_songs']}"}


def test_songs_of_another_split_and_unknown_ones_are_said_and_left_out():
    values, notes = aligned({"id": ["s0", "s1", "s2", "t", "x"], "t0": range(5), "t1": range(5)})
    assert values.tolist() == [[0, 0], [1, 1], [2, 2]]
    assert notes["other_split"].startswith("1 songs (t)")
    assert notes["unknown_songs"].startswith("1 songs (x)")


def test_missing_terms_are_said():
    _, notes = aligned({"id": ["s0", "s1", "s2"], "t0": [1, 2, 3]})
    assert notes == {"missing_targets": f"1 terms or dimensions (french:t1): {NOTES['missing_targets']}"}


def test_a_column_of_nothing_is_a_missing_term():
    _, notes = aligned({"id": ["s0", "s1", "s2"], "t0": [1, 2, 3], "t1": [math.nan] * 3})
    assert list(notes) == ["missing_targets"]


def test_holes_are_said():
    _, notes = aligned({"id": ["s0", "s1", "s2"], "t0": [1, 2, 3], "t1": [1, None, 2]})
    assert notes == {"missing_values": f"1 terms or dimensions (french:t1): {NOTES['missing_values']}"}


def test_constants_are_said():
    _, notes = aligned({"id": ["s0", "s1", "s2"], "t0": [1, 2, 3], "t1": [2.5] * 3})
    assert notes == {"constant": f"1 terms or dimensions (french:t1): {NOTES['constant']}"}


def test_extra_columns_are_said_and_may_hold_text():
    _, notes = aligned({"id": ["s0", "s1", "s2"], "t0": [1, 2, 3], "t1": [3, 1, 2], "title": ["x", "y", "z"]})
    assert notes == {"extra_columns": f"1 columns (title): {NOTES['extra_columns']}"}


def test_ratings_that_cannot_tell_are_said():
    predictions = read_predictions(pa.table({"id": ["s0", "s1", "s2"], "t0": [1, 2, 3]}))
    _, notes = align(predictions, truth([[2], [2], [2]]))
    assert [note.kind for note in notes] == ["unmeasurable"]


def test_predictions_for_other_songs_are_refused():
    with pytest.raises(
        InputError, match="none of its songs belong to globalmood:all: it has x, y; wanted are s0, s1, s2"
    ):
        aligned({"id": ["x", "y"], "t0": [1, 2]})


def test_predictions_of_other_terms_are_refused():
    with pytest.raises(InputError, match=r"none of its columns .* it has glad; wanted are korean:t0, french:t1"):
        aligned({"id": ["s0"], "glad": [1]})
