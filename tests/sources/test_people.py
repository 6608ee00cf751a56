"""`build.sources.people`: people leave as running numbers."""

import pyarrow as pa

from build.sources.people import pseudonyms


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
