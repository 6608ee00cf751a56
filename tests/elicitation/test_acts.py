from build.elicitation.acts import ChainKey, steps_by_chain
from tests.elicitation.made import chain, step, table


def test_acts_that_cannot_be_read_are_left_out_by_reason_and_the_rest_of_the_step_stays():
    rows = chain(step(1, 7, "+calm", "+  ", "sad 6", "glad 0", "sad 3"))
    rows += chain([{"step": 1, "participant": 7, "action": "like", "tag": "calm", "rating": None}])
    rows += chain([{"step": 1, "participant": 7, "action": "rate", "tag": "calm", "rating": None}])
    by_chain, unreadable = steps_by_chain(table(rows), {"english"})
    assert [(act.row, reason) for act, reason in unreadable] == [
        (2, "empty_tag"),
        (3, "bad_rating"),
        (4, "bad_rating"),
        (6, "unknown_action"),
        (7, "bad_rating"),
    ]
    ((one,),) = by_chain.values()
    assert [(act.action, act.tag, act.row) for act in one.acts] == [("add", "calm", 1), ("rate", "sad", 5)]


def test_a_rating_beside_a_flag_or_an_addition_is_not_read():
    rows = [{**row, "rating": 9} for row in chain(step(1, 1, "+calm", "!sad"))]
    by_chain, unreadable = steps_by_chain(table(rows), {"english"})
    assert [act.rating for act in by_chain[ChainKey("english", "s1", "1", "1")][0].acts] == [None, None]
    assert unreadable == []


def test_chains_are_told_apart_by_language_song_set_and_number():
    keys = [{"language": "klingon"}, {"song_id": "s2"}, {"chain_set": "2"}, {"chain": "2"}, {}]
    by_chain, _ = steps_by_chain(table(*(chain(step(1, 1, "+a"), **key) for key in keys)), {"english", "klingon"})
    assert len(by_chain) == 5


def test_a_language_that_is_not_asked_for_is_left_out():
    _, unreadable = steps_by_chain(table(chain(step(1, 1, "+a"), language="klingon")), {"english"})
    assert [reason for _, reason in unreadable] == ["unknown_language"]
