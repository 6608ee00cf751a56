import csv
from fractions import Fraction

from build.elicitation.chain import Standing
from build.elicitation.lexicon import collect, lexicon, top_terms


def entries(standings, variants=None):
    tags = collect((tag.casefold(), Standing(tag, ratings)) for tag, ratings in standings)
    return lexicon("english", tags, variants or {}).to_pylist()


def test_score_is_occurrences_times_mean_of_all_ratings():
    """Calm is in two chains, rated 4 and 1, 1: twice the mean 2."""
    (calm,) = entries([("calm", (4,)), ("calm", (1, 1))])
    assert (calm["frequency"], calm["mean_rating"], calm["score"]) == (2, 2.0, 4.0)


def test_scores_of_variants_are_added_and_ratings_pooled():
    """Of glad: 2 x 5 = 10; happy: 1 x (1 + 1 + 1)/3 = 1. Together 11, not 3 x (5 + 5 + 3)/5 = 7.8."""
    (happy,) = entries([("glad", (5,)), ("glad", (5,)), ("happy", (1, 1, 1))], {"glad": "happy"})
    assert happy["term"] == "happy"
    assert (happy["frequency"], happy["mean_rating"], happy["score"]) == (3, 2.6, 11.0)
    assert happy["variants"] == ["glad"]


def test_a_term_may_exist_by_its_variants_alone_and_is_spelt_as_the_table_has_it():
    (happy,) = entries([("Glad", (5,))], {"glad": "Happy!"})
    assert (happy["term_id"], happy["term"], happy["variants"]) == ("happy!", "Happy!", ["Glad"])


def test_a_tag_goes_by_its_most_frequent_spelling():
    assert entries([("CALM", (1,)), ("Calm", (1,)), ("Calm", (1,))])[0]["term"] == "Calm"
    assert entries([("calm", (1,)), ("Calm", (1,))])[0]["term"] == "Calm"


def test_a_tag_without_ratings_is_left_out_and_a_chain_without_ratings_still_counts():
    (calm,) = entries([("calm", (4, 2)), ("calm", ()), ("sad", ())])
    assert (calm["term"], calm["frequency"], calm["score"]) == ("calm", 2, 6.0)


def test_equal_scores_are_in_the_order_of_names():
    """5 x 4/3 and 4 x 5/3 are equal, but not as products of floats, of which the first is the smaller."""
    a = [("a", (1, 1, 2)), *[("a", ())] * 4]
    b = [("b", (1, 2, 2)), *[("b", ())] * 3]
    assert [entry["term"] for entry in entries([*b, *a, ("c", (5,))])] == ["a", "b", "c"]


def test_ranks_start_at_one_and_end_with_the_number_asked_for():
    tags = collect((name, Standing(name, (rating,))) for name, rating in (("a", 1), ("b", 3), ("c", 2)))
    terms = top_terms(lexicon("english", tags, {}), 2)
    assert terms.select(["rank", "term", "score"]).to_pylist() == [
        {"rank": 1, "term": "b", "score": 3.0},
        {"rank": 2, "term": "c", "score": 2.0},
    ]
    assert top_terms(lexicon("english", {}, {}), 2).num_rows == 0


def test_published_frequencies_count_occurrences_and_not_ratings(shared_data):
    """Where score is frequency x mean, no variant was merged; the mean is then a fraction over the number of ratings.

    If every rating were an occurrence, frequency x mean would be a whole number. It is a fraction instead, over between
    one and nine ratings an occurrence: those of the people who come after the one who adds a tag in a chain of ten.
    """
    files = sorted((shared_data / "globalmood" / "rating_dimensions").glob("*_STEP_for_dense_rate.csv"))
    rows = [row for path in files for row in csv.DictReader(path.read_text("utf-8-sig").splitlines())]
    unmerged = [
        (int(row["frequency"]), Fraction(row["mean_rating"]).limit_denominator(10_000))
        for row in rows
        if abs(int(row["frequency"]) * float(row["mean_rating"]) - float(row["score"])) < 1e-9
    ]
    assert len(unmerged) == 25
    assert sum((frequency * mean).denominator > 1 for frequency, mean in unmerged) == 24
    assert all(
        any(n * mean.denominator in range(frequency, 9 * frequency + 1) for n in range(1, 10_000))
        for frequency, mean in unmerged
    )
