import pyarrow as pa
import pytest

from build.errors import InputError
from build.madb.annotations import ANNOTATIONS, genres_of, is_short, read_annotations
from tests.madb.made import annotations, write

TRACKS = pa.table({"id": [1, 2]})


def long(rows: list[tuple]) -> list[dict[str, object]]:
    return [dict(zip(("track_id", "annotator", "overall", "comment", "comment_eng"), row, strict=True)) for row in rows]


def test_numbered_columns_become_a_row_an_annotator_and_track(tmp_path):
    table, left_out = read_annotations(write(tmp_path / "a.csv", annotations(3)), TRACKS, {})
    assert table.schema == ANNOTATIONS
    assert [(row["id"], row["annotator"], row["overall_score"]) for row in table.to_pylist()] == [
        (1, 1, 3), (1, 2, 4), (1, 3, 5), (2, 1, 4), (2, 2, 5), (2, 3, 1),
    ]  # fmt: skip
    assert left_out == 3
    assert table["genre"].to_pylist()[:3] == [["pop"], ["pop"], ["pop", "dj"]]
    assert table["mood"].to_pylist()[0] == ["sad", "happy"]


def test_an_annotator_who_said_nothing_is_no_row(tmp_path):
    rows = annotations(1)
    rows[0] |= dict.fromkeys([name for name in rows[0] if name.endswith("2")], "")
    table, _ = read_annotations(write(tmp_path / "a.csv", rows), TRACKS, {})
    assert table["annotator"].to_pylist() == [1, 3]


def test_a_row_an_annotator_and_track_is_read_too_and_names_become_numbers(tmp_path):
    rows = long([(2, "Ms Li", 4, "好", ""), (1, "Ms Li", 0, "", "fine"), (1, "Mr Wu", 3.5, "", "")])
    table, _ = read_annotations(write(tmp_path / "a.csv", rows), TRACKS, {})
    assert sorted(table["annotator"].to_pylist()) == [1, 2, 2] or sorted(table["annotator"].to_pylist()) == [1, 1, 2]
    scores = {(row["id"], row["overall_score"]) for row in table.to_pylist()}
    assert scores == {(1, None), (1, 3.5), (2, 4.0)}
    assert "Li" not in str(table.to_pylist())


def test_an_annotator_twice_at_a_track_is_refused(tmp_path):
    path = write(tmp_path / "a.csv", long([(1, "Li", 4, "", ""), (1, "Li", 5, "", "")]))
    with pytest.raises(InputError, match=r"row 3: the annotator is empty, or annotated track 1 already in row 2"):
        read_annotations(path, TRACKS, {})


def test_a_layout_that_is_not_recognised_is_said(tmp_path):
    with pytest.raises(InputError, match=r"neither a column that names the annotator nor numbered columns .* --column"):
        read_annotations(write(tmp_path / "a.csv", [{"id": 1, "remark": "x"}]), TRACKS, {})


def test_a_score_off_the_scale_is_named(tmp_path):
    rows = annotations(2)
    rows[1]["overall_score2"] = 7
    with pytest.raises(InputError, match=r"row 3, overall_score: score '7' must be 1 to 5"):
        read_annotations(write(tmp_path / "a.csv", rows), TRACKS, {})


@pytest.mark.parametrize(
    ("zh", "en", "short"),
    [
        (None, "one two three four five six seven eight nine", True),
        (None, "one two three four five six seven eight nine ten", False),
        ("旋律优美，节奏很好！", None, True),
        ("旋律优美，节奏也非常好听", None, False),
        ("旋律优美，节奏也非常好听", "nice", True),
        (None, None, None),
    ],
)
def test_comments_under_ten_words_are_flagged(zh, en, short):
    assert is_short(zh, en) is short


def test_genres_of_a_track_are_all_that_annotators_gave_the_most_frequent_first():
    table = pa.Table.from_pylist(
        [{"id": 1, "genre": ["dj"]}, {"id": 1, "genre": ["pop", "dj"]}, {"id": 1, "genre": ["folk"]}]
    )
    assert genres_of(table) == {1: ["dj", "folk", "pop"]}
