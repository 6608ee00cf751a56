"""`build.acts`: elicitation acts are placed, or dropped with a reason."""

import pyarrow as pa
import pytest

from build.acts import clean, in_file
from build.sources.people import pseudonyms
from build.tables import DROPPED, SONGS

SONG_LIST = pa.Table.from_pylist([{"song_id": "s1", "title": "t", "artist": "a", "country": "KR"}], SONGS)
ACT = {
    "song": "s1",
    "participant": "5f0a",
    "language": "KR",
    "chain": "c7",
    "step": "2",
    "tag": "신나는",
    "action": "Rate",
    "rating": "4",
    "set": "b",
}


def cleaned(**changes):
    table = pa.table({name: [text] for name, text in (ACT | changes).items() if text is not None})
    return clean(table, SONG_LIST, pseudonyms(table), "chains.csv")


def test_an_act_becomes_a_row():
    kept, _ = cleaned()
    assert kept.to_pylist() == [
        {
            "language": "korean",
            "song_id": "s1",
            "chain_set": "b",
            "chain": "c7",
            "step": 2,
            "participant": 1,
            "tag": "신나는",
            "action": "rate",
            "rating": 4,
        }
    ]


def test_a_file_without_sets_and_ratings_has_one_set_and_null_ratings():
    kept, _ = cleaned(set=None, rating=None, action="add")
    assert kept.select(["chain_set", "rating"]).to_pylist() == [{"chain_set": "1", "rating": None}]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"language": "Mars"}, "unknown_language"),
        ({"song": "s9"}, "unknown_song"),
        ({"participant": ""}, "no_participant"),
        ({"step": "second"}, "no_step"),
        ({"step": "-1"}, "no_step"),
        ({"tag": "ask 5f8a1c2e9b7d4e0012ab34cd"}, "names_someone"),
    ],
)
def test_an_act_that_cannot_be_placed_is_dropped(changes, reason):
    kept, dropped = cleaned(**changes)
    assert kept.num_rows == 0
    assert dropped.select(["file", "row", "reason"]).to_pylist() == [{"file": "chains.csv", "row": 2, "reason": reason}]
    assert "5f0a" not in str(dropped.to_pylist())


def test_a_chain_that_is_called_after_a_person_gets_another_name():
    kept, _ = cleaned(chain="5f8a1c2e9b7d4e0012ab34cd", set="me@example.org")
    [row] = kept.select(["chain", "chain_set"]).to_pylist()
    assert all(len(name) == 12 and name.isalnum() for name in row.values())
    assert row["chain"] != row["chain_set"]


def test_what_is_left_out_of_the_kept_gets_the_rows_of_the_file():
    """Of the rows 2 to 6 of the file 3 and 5 were dropped: the kept are 2, 4 and 6."""
    columns = {name: ["", "", ""] for name in ("file", "reason", "detail")}
    dropped = pa.table({name: texts[:2] for name, texts in columns.items()} | {"row": [3, 5]})
    left_out = pa.table(columns | {"row": [1, 3, 0]})
    placed = in_file(left_out, pa.table({"kept": [1, 2, 3]}), dropped, "chains.csv")
    assert placed.schema == DROPPED
    assert placed.select(["file", "row"]).to_pylist() == [{"file": "chains.csv", "row": row} for row in (2, 6, 0)]
    nothing = DROPPED.empty_table()
    assert in_file(nothing, nothing, nothing, "chains.csv").equals(nothing)
