"""`build.contract`: the languages of globalmood.py are those of metadata/languages.csv."""

import ast
import shutil

from build import contract, vocab
from build.contract import MODULE
from globalmood import LANGUAGES


def test_the_module_is_up_to_date():
    wanted = [(row.config, row.tag, row.population, row.n_terms) for row in vocab.languages()]
    assert [tuple(language) for language in LANGUAGES] == wanted


def test_another_language_is_taken_over_and_the_rest_stays(tmp_path, monkeypatch):
    module = shutil.copy(MODULE, tmp_path / "globalmood.py")
    german = vocab.languages()[0]._replace(config="german", tag="de-DE", population='"those" in Köln', n_terms=18)
    monkeypatch.setattr(vocab, "languages", lambda: (*LANGUAGES_OF_CSV, german))
    assert contract.refresh(module)
    assert not contract.refresh(module), "a second time there is nothing to do"
    text = module.read_text(encoding="utf-8")
    ast.parse(text)
    added = r"""    Language("german", "de-DE", "\"those\" in Köln", 18),""" + "\n"
    assert text.replace(added, "") == MODULE.read_text(encoding="utf-8")


LANGUAGES_OF_CSV = vocab.languages()
