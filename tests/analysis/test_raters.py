import numpy as np
import pyarrow as pa
import pytest

from build.analysis.raters import GUESSING, as_dropped, check_raters, design, without_raters
from build.tables import DROPPED, PARTICIPANTS
from tests.analysis.simulated import ratings

pytestmark = pytest.mark.filterwarnings("error")


def flags(rows, **options) -> dict[int, list[str]]:
    table = check_raters(ratings(rows), **options)
    return dict(zip(table["participant"].to_pylist(), table["flags"].to_pylist(), strict=True))


def session(person: int, answers: list[int], language: str = "english") -> list[tuple]:
    return [(language, f"s{i}", person, "sad", answer) for i, answer in enumerate(answers)]


def test_constant_answers_are_straightlining_and_a_single_answer_is_not():
    found = flags([*session(1, [3, 3, 3]), *session(2, [3, 3, 4]), *session(3, [3])], few_trials=0)
    assert found == {1: ["straightlining"], 2: [], 3: []}


def test_a_trial_is_a_song_heard_once_whatever_the_number_of_terms():
    two_terms = [("english", f"s{i}", 1, term, 1 + i % 5) for i in range(3) for term in ("calm", "sad")]
    assert flags(two_terms, few_trials=4) == {1: ["few"]}
    assert flags(two_terms, few_trials=3) == {1: []}


def test_a_repeat_trial_counts_as_a_trial():
    rows = [*session(1, [1, 2]), ("english", "s0", 1, "sad", 1, 1)]
    table = check_raters(ratings(rows), few_trials=3)
    assert (table["n_trials"].to_pylist(), table["n_ratings"].to_pylist(), table["flags"].to_pylist()) == (
        [3],
        [3],
        [[]],
    )


def test_repeat_answers_as_far_off_as_guesses_are_inconsistent():
    """Two repeated answers: distances 1 and 2 (mean 1.5) pass, 1 and 3 (mean 2) do not; guessing gives 1.6."""
    first = session(1, [1, 3, 2]) + session(2, [1, 2, 2])
    again = [("english", "s0", 1, "sad", 2, 1), ("english", "s1", 1, "sad", 5, 1)]
    again += [("english", "s0", 2, "sad", 2, 1), ("english", "s1", 2, "sad", 5, 1)]
    assert flags(first + again, few_trials=0) == {1: [], 2: ["inconsistent"]}


def test_guessing_is_the_expected_distance_of_two_uniform_answers():
    answers = np.arange(1, 6)
    assert np.abs(answers[:, None] - answers).mean() == pytest.approx(GUESSING)


def test_the_same_number_in_two_languages_is_two_people():
    table = check_raters(ratings(session(1, [3, 3]) + session(1, [1, 5], "korean")), few_trials=0)
    assert table.schema.equals(PARTICIPANTS)
    assert table.select(["language", "participant", "flags"]).to_pylist() == [
        {"language": "english", "participant": 1, "flags": ["straightlining"]},
        {"language": "korean", "participant": 1, "flags": []},
    ]


def test_no_ratings_have_no_raters():
    table = check_raters(ratings([]))
    assert (table.num_rows, table.schema.equals(PARTICIPANTS)) == (0, True)


def test_only_the_checks_asked_for_exclude_and_nothing_vanishes():
    table = ratings([*session(1, [3, 3, 3]), *session(2, [1, 2, 3]), *session(1, [2, 2], "korean")])
    people = check_raters(table, few_trials=3)
    kept, dropped = without_raters(table, people, ["straightlining"])
    assert kept.schema.equals(table.schema)
    assert set(kept["participant"].to_pylist()) == {2}
    assert dropped["reason"].to_pylist() == ["straightlining"] * 5
    assert len(kept) + len(dropped) == len(table)
    assert without_raters(table, people, [])[0].equals(table)
    both = without_raters(table, people, ["few", "straightlining"])[1]
    assert both.filter(pa.compute.field("language") == "korean")["reason"].to_pylist() == ["straightlining,few"] * 2


def test_what_is_left_out_is_dropped_by_one_check_each_and_tells_not_who():
    table = ratings([*session(1, [3, 3]), ("english", "a", 2, "calm", 4)])
    excluded = without_raters(table, check_raters(table), ["few", "straightlining"])[1]
    dropped = as_dropped(excluded, "ratings.csv")
    assert dropped.schema == DROPPED
    assert sorted(dropped["reason"].to_pylist()) == ["few", "straightlining", "straightlining"]
    assert dropped.filter(pa.compute.field("reason") == "few").to_pylist() == [
        {"file": "ratings.csv", "row": 0, "reason": "few", "detail": "song=a, language=english, term=calm, rating=4"}
    ]


def test_kept_rows_stay_in_their_order():
    table = ratings([row for i in range(50) for row in session(i, [1, 2])])
    people = check_raters(table, few_trials=0)
    assert without_raters(table, people, ["straightlining"])[0].equals(table)


def test_the_design_counts_first_answers_over_the_whole_grid():
    """Two raters, two songs, two terms: cells hold 2, 1, 1 and 0 ratings; mean 1, sd sqrt(2/3)."""
    rows = [("english", "a", 1, "calm", 1), ("english", "a", 2, "calm", 2), ("english", "b", 1, "calm", 3)]
    rows += [("english", "a", 1, "sad", 4), ("english", "a", 1, "sad", 5, 1)]
    [row] = design(ratings(rows)).to_pylist()
    assert (row["n_ratings"], row["n_repeats"], row["n_raters"], row["n_songs"], row["n_terms"]) == (4, 1, 2, 2, 2)
    assert row["ratings_per_song_and_term_mean"] == 1.0
    assert row["ratings_per_song_and_term_sd"] == pytest.approx(np.sqrt(2 / 3))
    assert (row["terms_per_rater_mean"], row["songs_per_rater_mean"]) == (1.5, 1.5)


def test_one_rater_has_no_standard_deviation():
    [row] = design(ratings(session(1, [1, 2]))).to_pylist()
    assert (row["terms_per_rater_mean"], row["terms_per_rater_sd"]) == (1.0, None)


def test_no_ratings_have_no_design():
    assert design(ratings([])).num_rows == 0
