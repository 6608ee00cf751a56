import pytest

from build.baselines.listening.answers import rating_of


@pytest.mark.parametrize(
    ("text", "rating"),
    [("4", 4), (" 3.25\n", 3.25), ("3,5", 3.5), ("٤", 4), ("٣٫٥", 3.5), ("५.", 5), ("１", 1), ("1.0", 1)],
)
def test_one_number_of_the_scale_is_a_rating_in_digits_of_any_script(text, rating):
    assert rating_of(text) == rating


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4 out of 5",
        "Rating: 4",
        "3-4",
        "0.5",
        "5.1",
        "6",
        "44",
        "-3",
        "nan",
        "NaN",
        "inf",
        "four",
        "²",
        "4/5",
        "1e0",
    ],
)
def test_anything_else_is_none(text):
    assert rating_of(text) is None
