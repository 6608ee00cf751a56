"""Any bytes as a table of variants give variants, or an error that names the file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build.elicitation.variants import read_variants
from tests.fuzz.files import AT_LENGTH, BRIEFLY, damaged, given_or_refused, tables, written

HEADER = ("variant", "term", "why")
GOOD = (("joyfull", "joyful", "spelling"), ("신나", "신나는", ""), ("CALMING", "calm", "form"))
FILES = st.one_of(damaged(written(HEADER, GOOD), b"\xef\xbb\xbf" + written(HEADER, GOOD)), tables(HEADER, *GOOD))


def check(content: bytes, folder) -> None:
    path = folder / "korean.csv"
    path.write_bytes(content)
    variants = given_or_refused(lambda: read_variants(path), path)
    if variants is not None:
        assert all(variant and term for variant, term in variants.items())


@given(FILES)
@BRIEFLY
def test_any_bytes(scratch, content):
    check(content, scratch)


@pytest.mark.slow
@given(FILES)
@AT_LENGTH
def test_any_bytes_at_length(scratch, content):
    check(content, scratch)
