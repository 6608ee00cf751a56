import csv

import pyarrow as pa
import pytest

from build.analysis.agreement import MIN_LANGUAGES
from build.analysis.concepts import CONCEPTS, concepts, shared_terms
from build.errors import InputError
from tests.analysis.simulated import terms


def table(*rows: tuple[str, str]) -> pa.Table:
    return pa.Table.from_pylist([{"concept": concept, "gloss": gloss} for concept, gloss in rows], CONCEPTS)


def test_a_term_belongs_to_a_concept_by_its_translation_or_itself():
    found = shared_terms(
        terms([("english", "sad", None), ("french", "triste", "Sad"), ("korean", "슬픔", " sadness ")]),
        table(("sadness", "sad"), ("sadness", "sadness")),
    )
    assert found == {"sadness": [("english", "sad"), ("french", "triste"), ("korean", "슬픔")]}


def test_the_gloss_named_first_decides_between_terms_and_then_the_rank():
    found = shared_terms(
        terms([("french", "joyeux", "happy"), ("french", "bonheur", "happiness"), ("french", "félicité", "happiness")]),
        table(("happiness", "happiness"), ("happiness", "happy")),
    )
    assert found == {"happiness": [("french", "bonheur")]}


def test_a_concept_without_any_term_is_kept_empty():
    assert shared_terms(terms([("english", "sad", None)]), table(("fun", "fun"))) == {"fun": []}


def test_one_gloss_can_serve_two_concepts():
    found = shared_terms(terms([("english", "lively", None)]), table(("energy", "lively"), ("fun", "lively")))
    assert found == {"energy": [("english", "lively")], "fun": [("english", "lively")]}


def test_a_file_without_the_column_gloss_is_refused(tmp_path):
    path = tmp_path / "concepts.csv"
    path.write_text("concept,word\nsadness,sad\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column 'gloss'"):
        concepts(path)


def test_the_published_terms_share_concepts_in_at_least_four_languages(shared_data):
    """The concepts were counted by hand in the real files; sadness and calm are in all five languages."""
    rows = []
    for locale in ("ar", "en", "es", "fr", "ko"):
        path = shared_data / "globalmood" / "rating_dimensions" / f"{locale}_STEP_for_dense_rate.csv"
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows += [(locale, row["grouped_tag"], row.get("translation")) for row in csv.DictReader(file)]
    found = shared_terms(terms(rows), concepts())
    enough = {concept for concept, keys in found.items() if len(keys) >= MIN_LANGUAGES}
    assert enough == {
        "calm", "energy", "festivity", "fun", "happiness", "joy", "longing", "love", "rhythm", "sadness",
    }  # fmt: skip
    assert len(found["sadness"]) == len(found["calm"]) == 5
    assert dict(found["energy"])["ko"] == "활기찬"
