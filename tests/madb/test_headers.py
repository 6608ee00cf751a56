import pytest

from build.errors import InputError
from build.madb import headers


def test_columns_are_known_by_their_names_whatever_the_case():
    assert headers.columns_of("tracks", ["ID", "Name", "extra"], {}) == {"id": "ID", "name": "Name"}


def test_numbered_columns_belong_to_annotators():
    names = ["id", "comment_eng1", "comment_eng10", "comment2", "mood_2", "comment_eng", "other3"]
    assert headers.numbered_columns_of("annotations", names, {}) == {
        ("comment_en", 1): "comment_eng1",
        ("comment_en", 10): "comment_eng10",
        ("comment_zh", 2): "comment2",
        ("mood", 2): "mood_2",
    }


def test_a_mapped_column_replaces_the_known_names():
    mapping = headers.parse_mapping(["overall_score=Total", "id=number"])
    assert headers.columns_of("annotations", ["number", "id"], mapping)["id"] == "number"
    assert headers.numbered_columns_of("annotations", ["total1", "score1"], mapping) == {("overall_score", 1): "total1"}


@pytest.mark.parametrize("option", ["overall_score", "overall_score=", "nothing=x"])
def test_other_options_are_refused(option):
    with pytest.raises(InputError, match=f"--column {option}: wanted ROLE=HEADER, with a role of"):
        headers.parse_mapping([option])
