"""`build.sources.people`: people leave as running numbers."""

import pyarrow as pa
import pytest

from build.sources.people import nameless, names_someone, pseudonyms


def acts(*people: tuple[str, str]) -> pa.Table:
    return pa.table({"language": [language for language, _ in people], "participant": [person for _, person in people]})


def test_numbers_run_from_one_within_a_language():
    numbers = pseudonyms(acts(("KR", "a"), ("ko", "b"), ("KR", "a"), ("US", "c")))
    assert sorted(numbers) == [("english", "c"), ("korean", "a"), ("korean", "b")]
    assert sorted([numbers["korean", "a"], numbers["korean", "b"]]) == [1, 2]
    assert numbers["english", "c"] == 1


def test_numbers_do_not_depend_on_the_order_of_rows_or_tables():
    people = [("KR", f"{index:024x}") for index in range(50)]
    first, second = acts(*people[:30]), acts(*people[20:])
    assert pseudonyms(first, second) == pseudonyms(acts(*reversed(people)))


def test_numbers_do_not_follow_the_ids():
    people = [("KR", f"{index:024x}") for index in range(50)]
    numbers = pseudonyms(acts(*people))
    assert [numbers["korean", person] for _, person in people] != list(range(1, 51))


def test_unknown_languages_and_nobody_get_no_number():
    assert pseudonyms(acts(("Mars", "a"), ("KR", " "))) == {}


@pytest.mark.parametrize(
    "text",
    [
        "5f8a1c2e9b7d4e0012ab34cd",
        "(5F8A1C2E9B7D4E0012AB34CD)",
        "3b241101-e2bb-4255-8caf-4136c566a962",
        "I am rater.one@mail.example.org, hello",
    ],
)
def test_ids_of_panels_and_addresses_are_known(text):
    assert names_someone(text)


@pytest.mark.parametrize(
    "text", ["", "calm", "50/50 @ home", "e" * 24 + "e", "5f8a1c2e9b7d4e0012ab34c", "2023-01-05-0001"]
)
def test_other_words_are_left_alone(text):
    assert not names_someone(text)
    assert nameless(text) == text
