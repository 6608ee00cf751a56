import pytest

from build.errors import InputError
from build.madb import values


@pytest.mark.parametrize(
    ("text", "score"), [("3.5", 3.5), ("1", 1.0), ("5", 5.0), ("0", None), ("0.0", None), ("", None), (" ", None)]
)
def test_a_score_is_1_to_5_and_0_is_none(text, score):
    assert values.score(text, "here") == score


@pytest.mark.parametrize("text", ["0.5", "5.01", "-1", "nan", "good"])
def test_anything_else_is_no_score(text):
    with pytest.raises(InputError, match=r"f\.csv, row 3: score .* must be 1 to 5, or 0 where it does not apply"):
        values.score(text, "f.csv, row 3")


@pytest.mark.parametrize(("text", "flag"), [("TRUE", True), ("False", False), ("1", True), (" no ", False)])
def test_flags(text, flag):
    assert values.flag(text, "here") is flag


def test_what_is_no_flag_is_refused():
    with pytest.raises(InputError, match="here: 'maybe' must be TRUE or FALSE"):
        values.flag("maybe", "here")


def test_an_id_is_a_whole_number():
    assert values.number(" 12 ", "here") == 12
    assert values.number("0002147483647", "here") == 2_147_483_647


@pytest.mark.parametrize("text", ["a1", "-1", "1.0", "²", "2147483648", "9" * 5_000])
def test_what_is_no_id_is_refused(text):
    with pytest.raises(InputError, match=f"here: id '{text}' must be a whole number, 2147483647 at most"):
        values.number(text, "here")


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("passionable | sad", ["passionable", "sad"]),
        ("['chinese pop', 'dj']", ["chinese pop", "dj"]),
        ("rock/metal，pop, pop", ["rock/metal", "pop"]),
        ("", []),
        ("[]", []),
    ],
)
def test_tags(text, tags):
    assert values.tags(text) == tags
