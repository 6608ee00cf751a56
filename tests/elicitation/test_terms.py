import csv

import pyarrow as pa
import pytest
from scipy.stats import spearmanr

from build import vocab
from build.elicitation import acts_that_count, elicit, terms_from_chains
from build.errors import InputError
from build.synthetic.vocabulary import vocabularies
from build.tables import DROPPED, LEXICON, TERMS
from tests.elicitation.drawn import draw_sample
from tests.elicitation.made import LANGUAGES, chain, step, table

ENGLISH = [LANGUAGES["english"]]

# Two sets of chains about one song, worked by hand:
#   first set: happy is added, rated 5 4 3; cheerful is added by the second person, rated 2 2. rude gets three flags and
#     leaves with its rating of 5; the fifth person adds it again, and it is rated 1.
#   second set: happy, rated 1; cheerful, rated 4.
#
#   happy     2 occurrences, ratings 5 4 3 1: mean 13/4, score 13/2
#   cheerful  2 occurrences, ratings 2 2 4:   mean  8/3, score 16/3
#   rude      1 occurrence,  rating 1:        mean  1,   score 1
#   With cheerful as a variant of happy: 4 occurrences, mean 21/7 = 3, score 13/2 + 16/3 = 71/6, and not 4 x 3 = 12.
BY_HAND = table(
    chain(
        step(1, 1, "+happy", "+rude"),
        step(2, 2, "happy 5", "rude 5", "!rude", "+cheerful"),
        step(3, 3, "happy 4", "!rude", "cheerful 2"),
        step(4, 4, "happy 3", "!rude", "cheerful 2"),
        step(5, 5, "+rude"),
        step(6, 6, "rude 1"),
    ),
    chain(
        step(1, 6, "+happy"),
        step(2, 5, "happy 1", "+cheerful", "+unheard"),
        step(3, 1, "cheerful 4", "+last"),
        chain_set="2",
        chain="9",
    ),
)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "deep" / "variants" / "english.csv"
    path.parent.mkdir(parents=True)
    path.write_text("variant,term,why\ncheerful,happy,synonym\n", encoding="utf-8")
    return tmp_path


def test_a_chain_worked_by_hand_with_a_merge_a_removal_and_a_tag_added_again(source):
    lexicon, terms, dropped = elicit(BY_HAND, source, ENGLISH)
    assert (lexicon.schema, terms.schema, dropped.schema) == (LEXICON, TERMS, DROPPED)
    happy, rude = terms.select(["rank", "term_id", "term", "frequency", "mean_rating", "score"]).to_pylist()
    assert list(happy.values()) == [1, "happy", "happy", 4, 3.0, pytest.approx(71 / 6, abs=1e-12)]
    assert list(rude.values()) == [2, "rude", "rude", 1, 1.0, 1.0]
    assert lexicon["variants"].to_pylist() == [["cheerful"], []]


def test_without_the_merge_every_score_is_frequency_times_mean():
    lexicon, _, _ = elicit(BY_HAND, None, ENGLISH)
    found = {row["term"]: (row["frequency"], row["mean_rating"], row["score"]) for row in lexicon.to_pylist()}
    assert found == {"happy": (2, 3.25, 6.5), "cheerful": (2, 8 / 3, 16 / 3), "rude": (1, 1.0, 1.0)}


def test_tags_that_nobody_rated_are_counted():
    _, _, dropped = elicit(BY_HAND, None, ENGLISH)
    assert dropped.to_pylist() == [
        {"file": "chains", "row": 0, "reason": "never_rated", "detail": f"english: {tag}"}
        for tag in ("last", "unheard")
    ]


def test_what_is_dropped_says_where_it_stood_and_the_rest_are_the_acts_that_count():
    rows = table(chain(step(1, 1, "+a"), step(2, 2, "a 3"), step(3, 1, "a 4"), step(4, 3, "a 9")))
    _, _, dropped = elicit(rows, None, ENGLISH)
    assert dropped.to_pylist() == [
        {"file": "chains", "row": row, "reason": reason, "detail": f"english s1 set 1 chain 1 step {row}: rate a"}
        for row, reason in ((3, "person_again"), (4, "bad_rating"))
    ]
    assert acts_that_count(rows, dropped).equals(rows.slice(0, 2))


def test_the_order_of_rows_means_nothing(source):
    mixed = elicit(pa.Table.from_pylist(BY_HAND.to_pylist()[::-1], BY_HAND.schema), source, ENGLISH)
    assert mixed[:2] == elicit(BY_HAND, source, ENGLISH)[:2]


def test_each_language_gets_its_own_number_of_terms():
    tags = [f"+t{number:02}" for number in range(25)]
    rates = [f"t{number:02} 3" for number in range(25)]
    both = [chain(step(1, 1, *tags), step(2, 2, *rates), language=language) for language in ("english", "klingon")]
    lexicon, terms, _ = elicit(table(*both), None, LANGUAGES.values())
    assert lexicon["language"].to_pylist() == ["english"] * 25 + ["klingon"] * 25
    assert terms["language"].to_pylist() == ["english"] * 20 + ["klingon"] * 18
    assert terms["rank"].to_pylist() == [*range(1, 21), *range(1, 19)]
    assert terms["term"].to_pylist()[20:] == [f"t{number:02}" for number in range(18)]


def test_no_chains_give_empty_tables():
    assert [made.num_rows for made in elicit(table(), None, ENGLISH)] == [0, 0, 0]


CHAINS_CSV = """country,videoID,set,chain,step,participant,tag,action,rating
KR,-AAAAAAAAAA,1,c1,1,p1,조용한,add,
KR,-AAAAAAAAAA,1,c1,2,p2,조용한,rate,4
KR,-AAAAAAAAAA,1,c1,3,,조용한,rate,1
KR,-AAAAAAAAAA,1,c1,3,p1,조용한,rate,1
KR,-AAAAAAAAAA,1,c1,3,p3,고요한,add,
KR,-AAAAAAAAAA,1,c1,4,p4,고요한,rate,2
"""


def test_a_file_of_chains_alone_gives_terms_people_and_reasons(tmp_path):
    path = tmp_path / "my_chains.csv"
    path.write_text(CHAINS_CSV, encoding="utf-8")
    (tmp_path / "variants").mkdir()
    (tmp_path / "variants" / "korean.csv").write_text("variant,term,why\n고요한,조용한,synonym\n", encoding="utf-8")
    found = terms_from_chains(path)
    assert found.terms.select(["language", "term", "frequency", "score"]).to_pylist() == [
        {"language": "korean", "term": "조용한", "frequency": 2, "score": 6.0}
    ]
    assert found.dropped.select(["file", "row", "reason"]).to_pylist() == [
        {"file": "my_chains.csv", "row": 4, "reason": "no_participant"},
        {"file": "my_chains.csv", "row": 5, "reason": "person_again"},
    ]
    assert found.chains.num_rows == 4
    assert found.participants["n_trials"].to_pylist() == [1, 1, 1, 1]
    assert found.participants["n_ratings"].to_pylist().count(1) == 2


def test_a_file_without_the_columns_of_chains_is_refused(tmp_path):
    path = tmp_path / "chains.csv"
    path.write_text("videoID,term,rating\na,b,1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"chains\.csv.*no column"):
        terms_from_chains(path)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    draw_sample(folder)
    return folder, terms_from_chains(folder / "chains_GlobalMood.csv").terms.to_pylist()


@pytest.mark.parametrize("language", vocab.languages(), ids=lambda language: language.config)
def test_the_samples_terms_are_those_that_its_maker_counted(sample, language):
    """The sample adds up its chains by code of its own, and writes the result in the form of the published lists."""
    folder, terms = sample
    path = folder / "rating_dimensions" / f"{language.locale}_STEP_for_dense_rate.csv"
    with open(path, encoding="utf-8", newline="") as file:
        made = [(row["grouped_tag"], *map(float, list(row.values())[-3:])) for row in csv.DictReader(file)]
    found = [
        (row["term"], row["frequency"], row["mean_rating"], row["score"])
        for row in terms
        if row["language"] == language.config
    ]
    assert [row[0] for row in found] == [row[0] for row in made]
    assert [row[1:] for row in found] == [pytest.approx(row[1:], abs=1e-9) for row in made]


def rank_correlation(terms, language, truth):
    rank = {row["term"]: row["rank"] for row in terms if row["language"] == language}
    return spearmanr([rank.get(term, 100) for term in truth], range(len(truth))).statistic


@pytest.mark.parametrize("language", sorted(vocabularies()))
def test_terms_rank_as_they_came_to_mind_in_the_sample(sample, language):
    """The sample's terms come to mind in a known order, which scores follow up to the ratings' spread.

    A rank correlation of 20 unrelated orders has sd 1/sqrt(19) = 0.23. Four sd are asked for; permuted truth has less.
    """
    _, terms = sample
    truth = vocabularies()[language].terms
    permuted = [truth[7 * place % len(truth)] for place in range(len(truth))]
    assert rank_correlation(terms, language, truth) > 4 / 19**0.5
    assert rank_correlation(terms, language, permuted) < 4 / 19**0.5
