"""`build.ratings`: every answer is kept or dropped with a reason, and first answers are averaged."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from build import ratings
from build.ratings import clean, summarise
from build.sources.people import pseudonyms
from build.tables import RATINGS, SONGS, TERMS

SONG_LIST = pa.Table.from_pylist(
    [{"song_id": song, "title": "t", "artist": "a", "country": "KR"} for song in ("s2", "s1")], SONGS
)
TERM_LIST = pa.Table.from_pylist(
    [
        {"language": language, "term_id": term, "rank": 1, "term": term, "frequency": 1, "mean_rating": 3, "score": 3}
        for language, term in (("korean", "신나는"), ("english", "calm"), ("english", "happy"))
    ],
    TERMS,
)


def cleaned(*answers: tuple[str, str, str, str, str]):
    names = ["song", "participant", "language", "term", "rating"]
    table = pa.table({name: [row[index] for row in answers] for index, name in enumerate(names)})
    return clean(table, SONG_LIST, TERM_LIST, pseudonyms(table), "raw.csv")


def test_an_answer_becomes_a_row():
    kept, dropped = cleaned(("s1", "5f0a", "KR", " 신나는 ", "4"))
    assert kept.to_pylist() == [
        {
            "language": "korean",
            "song_id": "s1",
            "participant": 1,
            "term_id": "신나는",
            "term": "신나는",
            "rating": 4,
            "repetition": 0,
        }
    ]
    assert dropped.num_rows == 0


def test_terms_match_whatever_their_case_and_composition():
    kept, _ = cleaned(("s1", "p", "english", "CALM", "1"), ("s1", "q", "en", "ｃalm", "5"))
    assert kept["term_id"].to_pylist() == ["calm", "calm"]


@pytest.mark.parametrize("text", ["1", "5", "3.0", " 2 "])
def test_whole_numbers_of_the_scale_are_kept(text):
    kept, _ = cleaned(("s1", "p", "en", "calm", text))
    assert kept["rating"].to_pylist() == [int(float(text))]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (("s1", "p", "Mars", "calm", "3"), "unknown_language"),
        (("s9", "p", "en", "calm", "3"), "unknown_song"),
        (("s1", "p", "en", "신나는", "3"), "unknown_term"),
        (("s1", " ", "en", "calm", "3"), "no_participant"),
        (("s1", "p", "en", "calm", ""), "no_number"),
        (("s1", "p", "en", "calm", "very"), "no_number"),
        (("s1", "p", "en", "calm", "nan"), "off_scale"),
        (("s1", "p", "en", "calm", "inf"), "off_scale"),
        (("s1", "p", "en", "calm", "0"), "off_scale"),
        (("s1", "p", "en", "calm", "6"), "off_scale"),
        (("s1", "p", "en", "calm", "2.5"), "off_scale"),
    ],
)
def test_an_answer_that_cannot_be_used_is_dropped_with_its_row_and_reason(answer, reason):
    kept, dropped = cleaned(("s1", "p", "en", "happy", "3"), answer)
    assert kept.num_rows == 1
    assert dropped.select(["file", "row", "reason"]).to_pylist() == [{"file": "raw.csv", "row": 3, "reason": reason}]


def test_dropped_rows_do_not_tell_who_it_was():
    _, dropped = cleaned(("s1", "5f0a1b2c3d4e5f6071829304", "en", "calm", "9"))
    assert dropped["detail"].to_pylist() == ["song=s1, language=en, term=calm, rating=9"]


def test_a_second_answer_is_a_repeat_trial_in_the_order_of_the_file():
    kept, _ = cleaned(
        ("s1", "p", "en", "calm", "2"),
        ("s1", "q", "en", "calm", "3"),
        ("s1", "p", "en", "calm", "5"),
        ("s1", "p", "en", "calm", "1"),
    )
    by_rating = {row["rating"]: row["repetition"] for row in kept.to_pylist()}
    assert by_rating == {2: 0, 3: 0, 5: 1, 1: 2}


def test_a_dropped_answer_is_no_repetition():
    kept, _ = cleaned(("s1", "p", "en", "calm", "9"), ("s1", "p", "en", "calm", "4"))
    assert kept["repetition"].to_pylist() == [0]


def test_more_repetitions_than_the_type_holds_are_dropped_and_counted():
    kept, dropped = cleaned(*[("s1", "p", "en", "calm", "4")] * 130)
    assert kept["repetition"].to_pylist() == list(range(128))
    assert dropped["reason"].to_pylist() == ["repeated_too_often"] * 2


def test_kept_and_dropped_make_up_what_was_read_in_an_order_of_their_own():
    answers = [
        (f"s{song}", f"p{person}", "en", term, str(rating))
        for song in (1, 2, 3)
        for person in range(4)
        for term in ("calm", "happy", "sad")
        for rating in (0, 3)
    ]
    kept, dropped = cleaned(*answers)
    assert (kept.num_rows, dropped.num_rows) == (16, 56)
    assert kept == cleaned(*reversed(answers))[0]


def test_no_answers_give_tables_without_rows():
    kept, dropped = cleaned()
    assert (kept.num_rows, dropped.num_rows, summarise(kept).num_rows) == (0, 0, 0)


def test_cells_match_hand_calculation():
    """Of 1 and 5 the mean is 3 and the deviation sqrt((4 + 4) / 1) = sqrt(8); the repeat trial is no part of them."""
    kept, _ = cleaned(
        ("s1", "p", "en", "calm", "1"),
        ("s1", "q", "en", "calm", "5"),
        ("s1", "q", "en", "calm", "2"),
        ("s2", "p", "en", "calm", "4"),
    )
    cells = summarise(kept).to_pylist()
    assert [(row["song_id"], row["mean"], row["count"]) for row in cells] == [("s1", 3.0, 2), ("s2", 4.0, 1)]
    assert cells[0]["std"] == pytest.approx(8**0.5, rel=1e-6)
    assert cells[1]["std"] is None


@pytest.mark.parametrize("sparse", [0, ratings.SPARSE])
def test_cells_agree_with_pandas_on_many_ratings(monkeypatch, sparse):
    monkeypatch.setattr(ratings, "SPARSE", sparse)
    rng = np.random.default_rng(7)
    n = 5_000
    frame = pd.DataFrame(
        {
            "language": rng.choice(["english", "korean"], n),
            "song_id": rng.choice([f"s{index}" for index in range(40)], n),
            "participant": rng.integers(1, 30, n),
            "term_id": rng.choice(["a", "b", "c"], n),
            "rating": rng.integers(1, 6, n),
        }
    ).drop_duplicates(["language", "song_id", "participant", "term_id"])
    table = pa.Table.from_pandas(frame.assign(term=frame.term_id, repetition=0), preserve_index=False)
    cells = summarise(table.select(RATINGS.names).cast(RATINGS)).to_pandas()
    wanted = frame.groupby(["language", "song_id", "term_id"])["rating"].agg(["mean", "std", "count"]).reset_index()
    assert cells[["language", "song_id", "term_id", "count"]].equals(
        wanted[["language", "song_id", "term_id", "count"]].astype({"count": "int16"})
    )
    np.testing.assert_allclose(cells["mean"], wanted["mean"], rtol=1e-6)
    np.testing.assert_allclose(cells["std"], wanted["std"], rtol=1e-6)
