import pytest

from build import vocab
from build.elicitation.variants import read_variants, variants_of
from build.errors import InputError
from build.workspace import METADATA


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("variant,term,why\n" + text, encoding="utf-8")
    return path


def test_variants_map_matching_forms_to_terms_as_spelt(tmp_path):
    path = written(tmp_path / "x.csv", "Glad ,Happy,synonym\nＪＯＹ,joy,full width\n".replace("ＪＯＹ", "ＪＯＹＦＵＬ"))
    assert read_variants(path) == {"glad": "Happy", "joyful": "joy"}


def test_the_table_of_the_source_takes_the_place_of_the_one_in_metadata(tmp_path):
    written(tmp_path / "a" / "variants" / "french.csv", "gaie,gai,feminine\n")
    assert variants_of("french", tmp_path) == {"gaie": "gai"}
    assert variants_of("spanish", tmp_path) == variants_of("spanish", None)


def test_a_language_without_a_table_has_no_variants():
    assert variants_of("klingon", None) == {}


def test_every_language_has_a_table_to_edit():
    for language in vocab.languages():
        assert variants_of(language.config, None) == read_variants(METADATA / "variants" / f"{language.config}.csv")


def test_two_tables_for_one_language_are_refused(tmp_path):
    for name in ("a", "b"):
        written(tmp_path / name / "variants" / "french.csv", "")
    with pytest.raises(InputError, match="more than one table of variants"):
        variants_of("french", tmp_path)


@pytest.mark.parametrize("row", ["glad,\n", ",happy\n", "Happy,happy\n", "glad,joy\nGLAD,happy\n"])
def test_rows_that_say_nothing_or_twice_are_refused_by_number(tmp_path, row):
    text = row.replace("\n", ",why\n")
    number = 1 + text.count("\n")
    with pytest.raises(InputError, match=rf"x\.csv, row {number}: .*a variant stands once"):
        read_variants(written(tmp_path / "x.csv", text))


def test_a_term_that_is_itself_a_variant_is_refused(tmp_path):
    path = written(tmp_path / "x.csv", "glad,happy,why\nhappy,joyful,why\n")
    with pytest.raises(InputError, match="'happy' is a term in one row and a variant in another"):
        read_variants(path)
