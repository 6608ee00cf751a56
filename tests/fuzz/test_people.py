"""Any bytes as ratings or chains give RATINGS, CELLS, CHAINS and a lexicon, or an error that names the file."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import acts, ratings
from build.analysis.raters import check_raters
from build.elicitation import elicit, elicitors
from build.sources.people import pseudonyms, read_chains, read_ratings
from build.tables import CELLS, CHAINS, DROPPED, LEXICON, PARTICIPANTS, RATINGS, SONGS, TERMS, conform
from tests.fuzz.files import AT_LENGTH, BRIEFLY, damaged, given_or_refused, tables, written

SONG_LIST = pa.Table.from_pylist([{"song_id": "s1", "title": "t", "artist": "a", "country": "KR"}], SONGS)
_TERM = {"language": "korean", "frequency": 1, "mean_rating": 3.0, "score": 3.0, "translation": None}
TERM_LIST = pa.Table.from_pylist(
    [_TERM | {"term_id": term, "term": term, "rank": rank} for rank, term in enumerate(("신나는", "calm"), start=1)],
    TERMS,
)
RATING = ("videoID", "participant", "locale", "term", "rating")
RATED = (("s1", "p1", "ko", "신나는", "4"), ("s1", "p2", "KR", "Calm", "1.0"), ("s1", "p1", "ko", "신나는", "5"))
ACT = ("locale", "videoID", "set", "chain", "step", "participant", "tag", "action", "rating")
ACTED = (
    ("ko", "s1", "1", "c1", "0", "p1", "신나는", "add", ""),
    ("ko", "s1", "1", "c1", "1", "p2", "신나는", "rate", "4"),
    ("KR", "s1", "1", "c1", "1", "p2", "calm", "add", ""),
    ("ko", "s1", "1", "c1", "2", "p3", "calm", "flag", ""),
)
RATING_FILES = st.one_of(damaged(written(RATING, RATED)), tables(RATING, *RATED))
CHAIN_FILES = st.one_of(damaged(written(ACT, ACTED)), tables(ACT, *ACTED))


def read(content: bytes, folder, reader) -> pa.Table | None:
    """What `reader` gives; None where it says that the file cannot be used."""
    path = folder / "people.csv"
    path.write_bytes(content)
    return given_or_refused(lambda: reader(path, {}), path)


def check_ratings(content: bytes, folder) -> None:
    answers = read(content, folder, read_ratings)
    if answers is None:
        return
    kept, dropped = ratings.clean(answers, SONG_LIST, TERM_LIST, pseudonyms(answers), "ratings.csv")
    assert kept.num_rows + dropped.num_rows == answers.num_rows
    assert dropped.schema == DROPPED
    kept_rows = conform(kept, RATINGS)
    kept_rows.validate(full=True)
    cells = ratings.summarise(kept)
    assert cells.schema == CELLS
    assert all(1 <= mean <= 5 for mean in cells["mean"].to_pylist())
    assert check_raters(kept_rows).schema == PARTICIPANTS


def check_chains(content: bytes, folder) -> None:
    rows = read(content, folder, read_chains)
    if rows is None:
        return
    kept, dropped = acts.clean(rows, SONG_LIST, pseudonyms(rows), "chains.csv")
    assert kept.num_rows + dropped.num_rows == rows.num_rows
    assert (kept.schema, dropped.schema) == (CHAINS, DROPPED)
    lexicon, terms, left_out = elicit(kept)
    assert (lexicon.schema, terms.schema, left_out.schema) == (LEXICON, TERMS, DROPPED)
    assert elicitors(kept).schema == PARTICIPANTS


@given(RATING_FILES)
@BRIEFLY
def test_any_bytes_of_ratings(scratch, content):
    check_ratings(content, scratch)


@pytest.mark.slow
@given(RATING_FILES)
@AT_LENGTH
def test_any_bytes_of_ratings_at_length(scratch, content):
    check_ratings(content, scratch)


@given(CHAIN_FILES)
@BRIEFLY
def test_any_bytes_of_chains(scratch, content):
    check_chains(content, scratch)


@pytest.mark.slow
@given(CHAIN_FILES)
@AT_LENGTH
def test_any_bytes_of_chains_at_length(scratch, content):
    check_chains(content, scratch)
