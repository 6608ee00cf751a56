"""Concepts that terms of several languages share, by the English gloss of each term (`metadata/concepts.csv`).

A row of the file is one accepted gloss of a concept. Anyone may add rows; a gloss may serve several concepts.
"""

from pathlib import Path

import pyarrow as pa

from build.tables import TEXT, match_key
from build.vocab import read_rows
from build.workspace import METADATA

CONCEPTS = pa.schema([pa.field(name, TEXT, nullable=False) for name in ("concept", "gloss")])

Key = tuple[str, str]  # language, term_id


def concepts(path: Path = METADATA / "concepts.csv") -> pa.Table:
    """CONCEPTS as in the file; InputError where it has not these two columns."""
    return pa.Table.from_pylist([dict(row) for row in read_rows(path, tuple(CONCEPTS.names))], CONCEPTS)


def shared_terms(terms: pa.Table, concepts: pa.Table) -> dict[str, list[Key]]:
    """For each concept, in the order of CONCEPTS, its term in each language of TERMS that has one.

    The gloss of a term is its translation or, where there is none (English), the term itself; glosses are compared
    by `match_key`. Of several matching terms in a language the one with the gloss that CONCEPTS names first stands
    for the concept, and of several with that gloss the best-ranked one.
    """
    glossed: dict[str, dict[str, str]] = {}
    for row in terms.sort_by([("language", "ascending"), ("rank", "ascending")]).to_pylist():
        gloss = match_key(row["translation"] or row["term"])
        glossed.setdefault(gloss, {}).setdefault(row["language"], row["term_id"])
    found: dict[str, dict[str, str]] = {}
    for row in concepts.to_pylist():
        found[row["concept"]] = glossed.get(match_key(row["gloss"]), {}) | found.get(row["concept"], {})
    return {concept: sorted(keys.items()) for concept, keys in found.items()}
