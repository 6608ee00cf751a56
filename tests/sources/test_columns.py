"""`build.sources.columns`: which header plays which role."""

from pathlib import Path

import pyarrow as pa
import pytest

from build.errors import InputError
from build.sources.columns import parse_mapping, pick

FILE = Path("ratings.csv")


def table(*headers: str) -> pa.Table:
    return pa.table({header: [header.upper()] for header in headers})


def test_headers_are_recognised_whatever_their_case_and_order():
    picked = pick(table("Rating", "PARTICIPANT_ID", "tag", "country", "videoID"), "ratings", (), {}, FILE)
    assert picked.to_pylist()[0] == {
        "song": "VIDEOID",
        "participant": "PARTICIPANT_ID",
        "language": "COUNTRY",
        "term": "TAG",
        "rating": "RATING",
    }


def test_columns_of_no_role_are_left_out():
    assert pick(table("videoID", "mood_of_the_day"), "songs", (), {}, FILE).column_names == ["song"]


def test_a_column_plays_one_role_only():
    """`song` is a title beside an id, and an id where ratings have no other."""
    assert pick(table("videoID", "song"), "songs", (), {}, FILE).column_names == ["song", "title"]
    assert pick(table("song", "rating"), "ratings", (), {}, FILE).column_names == ["song", "rating"]


def test_unknown_header_lists_what_was_found_and_how_to_map_it():
    with pytest.raises(InputError, match=r"no column for 'rating' among \['videoID', 'points'\].*--column rating="):
        pick(table("videoID", "points"), "ratings", ("song", "rating"), {}, FILE)


def test_mapped_header_wins():
    mapping = parse_mapping(["rating=points"])
    assert pick(table("rating", "points"), "ratings", ("rating",), mapping, FILE).to_pylist() == [{"rating": "POINTS"}]


@pytest.mark.parametrize("option", ["rating", "rating=", "loudness=x", "=x"])
def test_mapping_of_another_form_or_role_is_refused(option):
    with pytest.raises(InputError, match="wanted ROLE=HEADER"):
        parse_mapping([option])
