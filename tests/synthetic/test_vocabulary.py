import unicodedata

import numpy as np
import pytest

from build.synthetic.moods import MOODS
from build.synthetic.vocabulary import Vocabulary, names, vocabularies
from build.tables import match_key
from build.vocab import countries, languages

LANGUAGES = languages()


@pytest.fixture(params=LANGUAGES, ids=lambda language: language.config)
def language(request: pytest.FixtureRequest):
    return request.param


@pytest.fixture
def words(language) -> Vocabulary:
    return vocabularies()[language.config]


def test_every_language_has_as_many_terms_as_it_says(language, words: Vocabulary) -> None:
    assert len({match_key(term) for term in words.terms}) == len(words.terms) == language.n_terms
    assert words.weights.shape == (language.n_terms, len(MOODS))
    assert words.levels.min() > 1
    assert words.levels.max() < 5


def test_all_but_english_is_translated(language, words: Vocabulary) -> None:
    assert all(words.translations) if language.config != "english" else not any(words.translations)


def test_terms_are_in_the_script_of_the_language(language, words: Vocabulary) -> None:
    letters = [letter for term in words.terms for letter in term if letter.isalpha()]
    assert {unicodedata.name(letter).split()[0] for letter in letters} == {language.script.upper()}


def test_tags_and_variants_are_no_terms(words: Vocabulary) -> None:
    terms = {match_key(term) for term in words.terms}
    variants = [match_key(variant) for variant, _, _ in words.variants]
    others = [*variants, *map(match_key, words.rare), *map(match_key, words.unfit)]
    assert len(set(others)) == len(others)
    assert not terms & set(others)
    assert {term for _, term, _ in words.variants} <= set(words.terms)
    assert len(words.variants) >= 3
    assert len(words.rare) >= 3
    assert len(words.unfit) >= 2


def test_the_weights_of_terms_are_of_like_size(words: Vocabulary) -> None:
    size = np.linalg.norm(words.weights, axis=1)
    assert 0.8 < size.min() < size.max() < 1.25


def test_terms_of_one_meaning_are_alike_in_all_languages() -> None:
    """A shared translation means nearly the same moods, so that cultures agree about such terms."""
    by_meaning: dict[str, list[np.ndarray]] = {}
    for name, words in vocabularies().items():
        meanings = words.terms if name == "english" else words.translations
        for meaning, weights in zip(meanings, words.weights, strict=True):
            by_meaning.setdefault(meaning, []).append(weights)
    shared = {meaning: rows for meaning, rows in by_meaning.items() if len(rows) >= 4}
    assert len(shared) >= 10
    for rows in shared.values():
        unit = [row / np.linalg.norm(row) for row in rows]
        assert min(first @ second for first in unit for second in unit) > 0.9


def test_exactly_one_script_serves_all_other_countries() -> None:
    scripts = names()
    assert sum(not script.countries for script in scripts) == 1
    assert len(scripts) >= 5
    listed = [iso2 for script in scripts for iso2 in script.countries]
    assert len(set(listed)) == len(listed)
    assert all(countries()[iso2].in_globalmood for iso2 in listed)


def test_titles_carry_the_number_of_their_song() -> None:
    assert all("{n}" in title for script in names() for title in script.titles)
