import pytest
from hypothesis import given
from hypothesis import strategies as st

from build.elicitation.acts import steps_by_chain
from build.elicitation.chain import MOST_PEOPLE, Act, State, Step, advance, replay
from tests.elicitation.made import chain, step, table


def end_of(*steps):
    """The final state of one chain, and (row, reason) of what was left out."""
    by_chain, unreadable = steps_by_chain(table(chain(*steps)), {"english"})
    assert not unreadable
    ((_, parts),) = by_chain.items()
    state, left_out = replay(parts)
    return state, [(act.row, reason) for act, reason in left_out]


def shown(state: State) -> dict[str, tuple[tuple[int, ...], int]]:
    return {key: (standing.ratings, standing.flags) for key, standing in state.shown.items()}


def test_the_next_person_is_shown_what_was_kept_and_what_was_added():
    state, left_out = end_of(
        step(1, 1, "+happy", "+sad"), step(2, 2, "happy 5", "sad 2", "+calm"), step(3, 3, "calm 4")
    )
    assert shown(state) == {"happy": ((5,), 0), "sad": ((2,), 0), "calm": ((4,), 0)}
    assert left_out == []


def test_a_third_flag_takes_a_tag_out_and_two_do_not():
    two = [step(1, 1, "+happy", "+rude"), step(2, 2, "!rude", "rude 5"), step(3, 3, "!rude")]
    assert shown(end_of(*two)[0]) == {"happy": ((), 0), "rude": ((5,), 2)}
    assert shown(end_of(*two, step(4, 4, "!rude", "rude 1"))[0]) == {"happy": ((), 0)}


def test_a_tag_that_comes_back_starts_anew():
    flags = [step(1, 1, "+rude"), step(2, 2, "rude 5", "!rude"), step(3, 3, "!rude"), step(4, 4, "!rude")]
    state, left_out = end_of(*flags, step(5, 5, "+rude"), step(6, 6, "rude 2", "!rude"))
    assert shown(state) == {"rude": ((2,), 1)}
    assert left_out == []


def test_a_tag_taken_out_is_not_shown_to_the_next_person():
    flags = [step(1, 1, "+rude"), step(2, 2, "!rude"), step(3, 3, "!rude"), step(4, 4, "!rude")]
    state, left_out = end_of(*flags, step(5, 5, "rude 2", "+calm"))
    assert shown(state) == {}
    assert left_out == [(5, "tag_not_shown"), (6, "tag_not_shown")]


def test_spellings_that_match_are_one_tag_under_its_first_name():
    state, _ = end_of(step(1, 1, "+Happy "), step(2, 2, "ＨＡＰＰＹ 4"))
    assert [(key, standing.tag, standing.ratings) for key, standing in state.shown.items()] == [
        ("happy", "Happy ", (4,))
    ]


def test_nobody_takes_two_steps():
    state, left_out = end_of(step(1, 1, "+happy"), step(2, 1, "happy 5", "+mine"), step(3, 2, "happy 3"))
    assert shown(state) == {"happy": ((3,), 0)}
    assert left_out == [(2, "person_again"), (3, "person_again")]


def test_an_eleventh_person_comes_too_late():
    people = [step(1, 1, "+happy"), *(step(number, number, "happy 3") for number in range(2, 12))]
    state, left_out = end_of(*people)
    assert shown(state) == {"happy": ((3,) * 9, 0)}
    assert left_out == [(11, "chain_full")]


def test_of_two_people_at_one_step_the_one_with_more_acts_counts():
    state, left_out = end_of(step(1, 1, "+a", "+b"), step(2, 2, "a 1"), step(2, 3, "a 5", "b 5"))
    assert shown(state) == {"a": ((5,), 0), "b": ((5,), 0)}
    assert left_out == [(3, "step_taken")]


def test_of_two_people_with_as_many_acts_the_lower_number_counts_unless_the_step_fails():
    one = end_of(step(1, 1, "+a"), step(2, 3, "a 5"), step(2, 2, "a 1"))
    assert (shown(one[0]), one[1]) == ({"a": ((1,), 0)}, [(2, "step_taken")])
    other = end_of(step(1, 1, "+a"), step(2, 3, "a 5"), step(2, 2, "b 1"))
    assert (shown(other[0]), other[1]) == ({"a": ((5,), 0)}, [(3, "tag_not_shown")])


def test_people_do_not_rate_what_they_add_themselves():
    state, left_out = end_of(step(1, 1, "+happy", "happy 5"), step(2, 2, "+sad"))
    assert shown(state) == {"sad": ((), 0)}
    assert left_out == [(1, "tag_not_shown"), (2, "tag_not_shown")]


def test_what_is_said_twice_counts_once_and_the_rest_of_the_step_counts():
    state, left_out = end_of(step(1, 1, "+a", "+A"), step(2, 2, "a 4", "a 2", "!a", "!a", "+a", "+b"))
    assert shown(state) == {"a": ((2,), 1), "b": ((), 0)}
    assert sorted(left_out) == [
        (1, "shown_already"),
        (3, "answered_twice"),
        (6, "answered_twice"),
        (7, "shown_already"),
    ]


def test_numbers_of_steps_only_order():
    gaps = end_of(step(9, 3, "a 3"), step(0, 1, "+a"), step(4, 2, "a 2"))
    assert shown(gaps[0]) == {"a": ((2, 3), 0)}


@pytest.mark.parametrize(
    "failing", [step(2, 1, "a 1"), step(1, 2, "a 1"), step(2, 2, "+new", "nowhere 3"), step(2, 2, "!nowhere")]
)
def test_a_failed_step_changes_nothing(failing):
    by_chain, _ = steps_by_chain(table(chain(step(1, 1, "+a"), failing)), {"english"})
    first, second = next(iter(by_chain.values()))
    before, _ = advance(State(), first)
    after, left_out = advance(before, second)
    assert after is before
    assert [act for act, _ in left_out] == list(second.acts)


ACTS = st.builds(
    lambda action, tag, rating, row: Act(action, tag, tag, rating if action == "rate" else None, row),
    st.sampled_from(["add", "rate", "flag"]),
    st.sampled_from("abcd"),
    st.integers(1, 5),
    st.integers(1, 10**6),
)
STEPS = st.builds(
    Step,
    st.integers(1, 6),
    st.integers(1, 14),
    st.lists(ACTS, min_size=1, max_size=8, unique_by=lambda act: act.row).map(tuple),
)


@given(st.lists(STEPS, max_size=25))
def test_every_step_keeps_the_invariants(steps):
    state = State()
    for one in steps:
        after, left_out = advance(state, one)
        without = {act for act, _ in left_out}
        added = {act.key for act in one.acts if act.action == "add" and act not in without}
        answered = {act.key for act in one.acts if act.action != "add" and act not in without}
        if after is state:
            assert len(left_out) == len(one.acts)
            continue
        assert answered <= set(state.shown)
        assert not added & set(state.shown)
        gone = {key for key in state.shown if state.shown[key].flags == 2} - set(after.shown)
        assert set(after.shown) == (set(state.shown) - gone) | added
        assert after.people == state.people | {one.participant}
        assert len(state.people) < len(after.people) <= MOST_PEOPLE
        assert all(len(standing.ratings) < len(after.people) for standing in after.shown.values())
        assert all(standing.flags <= 2 for standing in after.shown.values())
        state = after


@given(st.lists(STEPS, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_rows_means_nothing(steps, randomly):
    steps = list({(one.number, one.participant): one for one in steps}.values())
    mixed = [one._replace(acts=tuple(randomly.sample(one.acts, len(one.acts)))) for one in steps]
    randomly.shuffle(mixed)
    assert replay(mixed)[0] == replay(steps)[0]
