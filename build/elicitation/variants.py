"""Which spellings mean one term: the tables `variants/<language>.csv`, which people edit."""

from pathlib import Path

from build import vocab
from build.errors import InputError
from build.tables import match_key
from build.workspace import METADATA

COLUMNS = ("variant", "term", "why")


def variants_of(language: str, source: Path | None) -> dict[str, str]:
    """Matching form of a variant -> the term that it means, in one language.

    From `variants/<language>.csv` below the folder `source`, or else from `metadata/variants`; none where neither has
    one. Raises InputError where `source` has several, and as `read_variants` does.
    """
    name = f"{language}.csv"
    brought = [path for path in sorted(source.rglob(name)) if path.parent.name == "variants"] if source else []
    if len(brought) > 1:
        raise InputError(f"more than one table of variants could be meant: {brought}; keep one of them")
    path = brought[0] if brought else METADATA / "variants" / name
    return read_variants(path) if path.is_file() else {}


def read_variants(path: Path) -> dict[str, str]:
    """Matching form of a variant -> its term, from a CSV file with the columns variant, term and why.

    Raises InputError, naming file and row, for an empty cell, a variant that stands twice or is its own term, and a
    term that is itself a variant.
    """
    terms: dict[str, str] = {}
    for number, row in enumerate(vocab.read_rows(path, COLUMNS), start=2):
        variant, term = match_key(row["variant"]), match_key(row["term"])
        if not variant or not term or variant == term or variant in terms:
            fault = f"{row['variant']!r} -> {row['term']!r} is empty, means itself, or is there already"
            raise InputError(f"{path}, row {number}: {fault}; a variant stands once, beside the term that it means")
        terms[variant] = row["term"].strip()
    onward = sorted(term for term in terms.values() if match_key(term) in terms)
    if onward:
        raise InputError(
            f"{path}: {onward[0]!r} is a term in one row and a variant in another; name its last term in both"
        )
    return terms
