"""Any bytes as a list of terms give TERMS, or an error that names the file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import vocab
from build.sources.terms import read_terms
from build.tables import TERMS
from tests.fuzz.files import AT_LENGTH, BRIEFLY, damaged, given_or_refused, tables, written

HEADER = ("grouped_tag", "translation", "frequency", "mean_rating", "score")
GOOD = (("신나는", "exciting", "12", "3.5", "42.0"), ("calm", "", "3.0", "2", "6"))
FILES = st.one_of(damaged(written(HEADER, GOOD)), tables(HEADER, *GOOD))


@pytest.fixture(scope="module", autouse=True)
def two_terms():
    """Lists of two terms are as long as they have to be."""
    languages = tuple(language._replace(n_terms=2) for language in vocab.languages())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("build.sources.terms.vocab.languages", lambda: languages)
        yield


def check(content: bytes, folder) -> None:
    path = folder / "terms" / "ko_STEP_for_dense_rate.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    terms = given_or_refused(lambda: read_terms(path.parent, {}), path)
    if terms is None:
        return
    assert terms.schema == TERMS
    terms.validate(full=True)
    assert terms["rank"].to_pylist() == [1, 2]


@given(FILES)
@BRIEFLY
def test_any_bytes(scratch, content):
    check(content, scratch)


@pytest.mark.slow
@given(FILES)
@AT_LENGTH
def test_any_bytes_at_length(scratch, content):
    check(content, scratch)
