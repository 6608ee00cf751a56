"""`build.tables`: schemas at every border, and the matching form of terms."""

import pyarrow as pa
import pytest

from build.tables import SPLITS, conform, match_key


def test_conform_selects_orders_and_casts():
    table = pa.table({"extra": [1], "fold": pa.array([2], pa.int64()), "split": ["train"], "song_id": ["a"]})
    assert conform(table, SPLITS).schema == SPLITS


def test_conform_names_a_missing_column():
    with pytest.raises(ValueError, match=r"columns missing: \['fold'\]"):
        conform(pa.table({"song_id": ["a"], "split": ["train"]}), SPLITS)


def test_conform_names_a_column_that_must_be_filled():
    with pytest.raises(ValueError, match=r"nulls in columns that must be filled: \['split'\]"):
        conform(pa.table({"song_id": ["a"], "split": pa.array([None], pa.string()), "fold": [1]}), SPLITS)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("rythmé", "RYTHME\u0301"),  # composed and decomposed
        ("신나는", "\u1109\u1175\u11ab\u1102\u1161\u1102\u1173\u11ab"),  # syllables and jamo
        ("STRASSE", "straße"),
        ("ｃａｌｍ", "calm"),
        ("  two   words ", "two words"),
        ("ﻼ", "لا"),  # an Arabic ligature of compatibility
    ],
)
def test_spellings_of_one_term_have_one_key(left, right):
    assert match_key(left) == match_key(right)


def test_accents_are_no_matter_of_spelling():
    assert match_key("rythmé") != match_key("rythme")
