import numpy as np
import pyarrow as pa

from build.analysis.answers import first_answers
from tests.analysis.simulated import ratings

TABLE = ratings(
    [
        ("english", "b", 7, "sad", 4),
        ("english", "a", 7, "sad", 2),
        ("english", "a", 7, "calm", 5),
        ("english", "a", 3, "sad", 1),
        ("english", "a", 3, "sad", 5, 1),
        ("french", "a", 3, "triste", 3),
    ]
)


def test_only_first_answers_of_the_language_are_taken():
    answers = first_answers(TABLE, "english")
    assert answers.songs == ("a", "b")
    assert answers.terms == ("calm", "sad")
    assert sorted(answers.rating.tolist()) == [1, 2, 4, 5]


def test_answers_of_one_rater_to_one_song_form_one_hearing():
    answers = first_answers(TABLE, "english")
    by_rating = dict(zip(answers.rating.tolist(), answers.hearing.tolist(), strict=True))
    assert by_rating[2] == by_rating[5]
    assert len({by_rating[2], by_rating[1], by_rating[4]}) == 3
    assert answers.hearing_song.tolist() == [0, 0, 1]


def test_counts_hold_how_often_each_answer_was_given():
    counts = first_answers(TABLE, "english").counts()
    assert counts.shape == (2, 2, 5)
    assert counts[0, 1].tolist() == [1, 1, 0, 0, 0]
    assert counts[0, 0].tolist() == [0, 0, 0, 0, 1]
    assert counts[1, 0].sum() == 0


def test_the_order_and_chunks_of_rows_do_not_matter():
    shuffled = TABLE.take(pa.array([5, 3, 0, 4, 2, 1]))
    chunked = pa.concat_tables([shuffled.slice(0, 2), shuffled.slice(2)])
    one, other = first_answers(TABLE, "english"), first_answers(chunked, "english")
    assert one.songs == other.songs
    assert np.array_equal(one.counts(), other.counts())
    assert np.array_equal(one.hearing_song, other.hearing_song)


def test_a_language_without_ratings_has_no_songs_and_no_terms():
    answers = first_answers(TABLE, "korean")
    assert answers.shape == (0, 0)
    assert answers.counts().shape == (0, 0, 5)
