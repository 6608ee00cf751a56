"""`build.vocab`: the tables that people edit, checked when they are read."""

import pytest

from build import vocab
from build.errors import InputError

HEADER = "config,tag,name,population,country,locale,upstream_names,script,n_terms"
GERMAN = "german,de-DE,German,listeners in Germany,DE,de,de|German,Latin,18"


def languages(folder, *rows):
    path = folder / "languages.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return vocab.languages(path)


def test_a_language_answers_to_its_config_its_locale_and_its_upstream_names(tmp_path):
    (german,) = languages(tmp_path, GERMAN)
    assert (german.config, german.n_terms) == ("german", 18)
    assert german.upstream_names == ("German", "de", "german")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (GERMAN.replace("german,", "ger man,"), "row 3: config 'ger man' must be a plain name"),
        (GERMAN.replace("18", "many"), "row 3: n_terms 'many' must be a whole number above 0"),
        (GERMAN.replace("18", "0"), "row 3: n_terms '0'"),
        (GERMAN.replace("de|", "fr|"), r"row 3: \['fr'\] already name another language"),
        (GERMAN + ",more", "row 3: has not 9 fields"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path, row, message):
    french = "french,fr-FR,French,listeners in France,FR,fr,fr,Latin,20"
    with pytest.raises(InputError, match=rf"languages\.csv, {message}"):
        languages(tmp_path, french, row)


def test_a_missing_column_is_named(tmp_path):
    (tmp_path / "languages.csv").write_text("config,tag\n")
    with pytest.raises(InputError, match=r"languages\.csv: no column 'name'"):
        vocab.languages(tmp_path / "languages.csv")


def test_globalmood_has_59_countries():
    assert sum(country.in_globalmood for country in vocab.countries().values()) == 59
    assert vocab.countries()["NA"].name == "Namibia"


def test_every_upstream_file_has_a_hash_that_can_be_checked():
    files = vocab.upstream_files("globalmood")
    assert {file.hash.split(":")[0] for file in files} == {"sha256", "git"}
    assert all(len(file.hash.split(":")[1]) == {"sha256": 64, "git": 40}[file.hash.split(":")[0]] for file in files)
