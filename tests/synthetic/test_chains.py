from collections import defaultdict

import numpy as np
import pytest

from build.synthetic.chains import Act, elicit, lexicon
from build.synthetic.moods import expected_ratings, latent_moods
from build.synthetic.vocabulary import Vocabulary, vocabularies

WORDS = vocabularies()


def acts_of(language: str, seed: int = 0) -> list[Act]:
    words = WORDS[language]
    return elicit(
        seed, language, words, expected_ratings(latent_moods(seed, 118), words.weights, words.levels), [40, 41]
    )


@pytest.fixture(scope="module", params=sorted(WORDS))
def elicited(request: pytest.FixtureRequest) -> tuple[list[Act], Vocabulary]:
    return acts_of(request.param), WORDS[request.param]


def steps(acts: list[Act]) -> dict[int, dict[int, list[Act]]]:
    chains: dict[int, dict[int, list[Act]]] = defaultdict(lambda: defaultdict(list))
    for act in acts:
        chains[act.chain][act.step].append(act)
    return chains


def test_there_are_two_sets_about_the_same_songs(elicited) -> None:
    acts, _ = elicited
    songs = [{act.song for act in acts if act.chain_set == number} for number in (1, 2)]
    assert songs[0] == songs[1]
    assert len(songs[0]) == 20
    assert {40, 41} < songs[0]
    assert {act.chain_set for act in acts} == {1, 2}


def test_up_to_ten_people_take_turns_and_nobody_twice(elicited) -> None:
    acts, _ = elicited
    for chain in steps(acts).values():
        assert sorted(chain) == list(range(1, len(chain) + 1))
        assert 9 <= len(chain) <= 10
        people = [{act.participant for act in step} for step in chain.values()]
        assert all(len(step) == 1 for step in people)
        assert len(set.union(*people)) == len(people)


def test_the_next_person_is_shown_what_was_kept_and_what_was_added(elicited) -> None:
    acts, _ = elicited
    removed = again = 0
    for chain in steps(acts).values():
        shown: dict[str, int] = {}
        gone: set[str] = set()
        for number in sorted(chain):
            answered = [act.tag for act in chain[number] if act.action in {"rate", "flag"}]
            added = [act.tag for act in chain[number] if act.action == "add"]
            assert sorted(answered) == sorted(shown)
            assert not set(added) & set(shown)
            assert len(set(added)) == len(added)
            again += len(gone & set(added))
            for act in chain[number]:
                shown[act.tag] = shown.get(act.tag, 0) + (act.action == "flag")
            leaving = {tag for tag, flags in shown.items() if flags > 2}
            removed += len(leaving)
            gone = (gone - set(added)) | leaving
            shown = {tag: flags for tag, flags in shown.items() if tag not in leaving}
    assert removed > 5
    assert again > 0


def test_ratings_belong_to_rates_and_are_1_to_5(elicited) -> None:
    acts, _ = elicited
    assert {act.action for act in acts} == {"add", "rate", "flag"}
    assert {act.rating for act in acts if act.action == "rate"} == {1, 2, 3, 4, 5}
    assert {act.rating for act in acts if act.action != "rate"} == {None}


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("language", sorted(WORDS))
def test_the_top_of_the_lexicon_are_the_rated_terms(language: str, seed: int) -> None:
    scored = lexicon(acts_of(language, seed), WORDS[language])
    top = [entry.term for entry in scored[:20]]
    assert sorted(top) == sorted(WORDS[language].terms)
    assert len(scored) > 20
    assert [entry.score for entry in scored] == sorted((entry.score for entry in scored), reverse=True)


def test_variants_of_terms_are_used_and_never_beside_their_term_in_a_chain(elicited) -> None:
    acts, words = elicited
    used = [(variant, term) for variant, term, _ in words.variants if any(act.tag == variant for act in acts)]
    assert len(used) > 2
    for chain in steps(acts).values():
        tags = {act.tag for step in chain.values() for act in step}
        assert not [pair for pair in used if set(pair) <= tags]


def words(variants: list[tuple[str, str, str]]) -> Vocabulary:
    return Vocabulary(
        ["happy", "sad"], ["", ""], np.zeros((2, 5)), np.full(2, 3.0), ["a", "b", "late"], ["odd"], variants
    )


def chain(number: int, *acts: tuple[int, str, str, int | None]) -> list[Act]:
    return [Act(0, 1, number, step, f"person {step}", tag, action, rating) for step, tag, action, rating in acts]


def test_scores_worked_by_hand() -> None:
    """`joyful` is a variant of `happy`; `sad` is flagged out of chain 1 and added again there.

    happy   1 occurrence, ratings 4 5 (mean 4.5): score 4.5
    joyful  2 occurrences, ratings 2, 3 3 (mean 8/3): score 16/3
    merged  3 occurrences, mean 17/5, score 59/6 and not 3 * 17/5
    sad     2 occurrences, ratings 1 (after its return) and 5: score 2 * 3 = 6
    """
    acts = chain(1, (1, "Happy", "add", None), (1, "sad", "add", None))
    acts += chain(1, (2, "happy", "rate", 4), (2, "sad", "flag", None), (3, "happy", "rate", 5), (3, "sad", "rate", 5))
    acts += chain(1, (4, "sad", "flag", None), (5, "sad", "flag", None), (6, "sad", "add", None), (7, "sad", "rate", 1))
    acts += chain(2, (1, "joyful", "add", None), (2, "joyful", "rate", 2), (2, "odd", "add", None))
    acts += chain(2, (3, "odd", "flag", None), (4, "odd", "flag", None), (5, "odd", "flag", None))
    acts += chain(3, (1, "joyful", "add", None), (1, "sad", "add", None), (1, "late", "add", None))
    acts += chain(3, (2, "joyful", "rate", 3), (2, "sad", "rate", 5), (3, "joyful", "rate", 3))
    happy, sad = lexicon(acts, words([("joyful", "happy", "same")]))
    assert (happy.term, happy.frequency) == ("happy", 3)
    assert happy.mean_rating == pytest.approx(17 / 5)
    assert happy.score == pytest.approx(59 / 6)
    assert (sad.term, sad.frequency, sad.mean_rating, sad.score) == ("sad", 2, 3.0, 6.0)


def test_equal_scores_are_ordered_by_name() -> None:
    acts = chain(1, (1, "b", "add", None), (1, "a", "add", None), (2, "b", "rate", 3), (2, "a", "rate", 3))
    assert [entry.term for entry in lexicon(acts, words([]))] == ["a", "b"]
