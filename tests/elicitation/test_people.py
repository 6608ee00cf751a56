from build.elicitation import elicitors
from build.tables import PARTICIPANTS
from tests.elicitation.made import chain, step, table


def test_people_are_counted_by_steps_and_ratings():
    rows = table(
        chain(step(1, 2, "+a", "+b"), step(2, 1, "a 1", "b 2", "!a")),
        chain(step(1, 1, "+a"), chain="2"),
        chain(step(1, 1, "+a"), language="klingon"),
    )
    people = elicitors(rows)
    assert people.schema == PARTICIPANTS
    assert [tuple(row.values()) for row in people.to_pylist()] == [
        ("english", 1, "elicitation", 2, 2, []),
        ("english", 2, "elicitation", 1, 0, []),
        ("klingon", 1, "elicitation", 1, 0, []),
    ]


def test_no_chains_have_no_people():
    assert elicitors(table()).num_rows == 0
