"""Lists of rated terms, a file a language in the order of rank -> TERMS."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from build import vocab
from build.errors import InputError
from build.sources import folder
from build.sources.columns import Mapping, pick
from build.sources.textfile import FIRST_ROW, read_csv
from build.tables import TERMS, conform, match_key

MOST_OCCURRENCES = 2**31 - 1  # `frequency` is an int32


def read_terms(root: Path, mapping: Mapping) -> pa.Table:
    """TERMS of every language that has a list below `root`; no rows for the others.

    Raises InputError, naming file and row, for a term that stands twice, a score that is no number, or a list that has
    not as many terms as `metadata/languages.csv` says.
    """
    rows: list[dict[str, Any]] = []
    for language in vocab.languages():
        path = folder.find(root, folder.TERMS.format(locale=language.locale))
        if path is not None:
            rows += _terms(path, language, mapping)
    return conform(pa.Table.from_pylist(rows, TERMS), TERMS)


def _terms(path: Path, language: vocab.Language, mapping: Mapping) -> Iterator[dict[str, Any]]:
    table = pick(read_csv(path), "terms", ("term", "frequency", "mean_rating", "score"), mapping, path)
    if table.num_rows != language.n_terms:
        raise InputError(
            f"{path}: has {table.num_rows} terms, and metadata/languages.csv says that {language.config} has "
            f"{language.n_terms}; correct n_terms there, or the list"
        )
    first_row: dict[str, int] = {}
    for number, row in enumerate(table.to_pylist(), start=FIRST_ROW):
        where, term_id = f"{path}, row {number}", match_key(row["term"])
        if not term_id:
            raise InputError(f"{where}: the term {row['term']!r} is empty; every row is one of the rated terms")
        if term_id in first_row:
            raise InputError(f"{where}: the term {row['term']!r} is the same as in row {first_row[term_id]}; keep one")
        first_row[term_id] = number
        yield {
            "language": language.config,
            "term_id": term_id,
            "rank": len(first_row),
            "term": row["term"],
            "translation": row.get("translation") or None,
            "frequency": _count(row["frequency"], where),
            "mean_rating": _number(row["mean_rating"], f"{where}: mean_rating"),
            "score": _number(row["score"], f"{where}: score"),
        }


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where} {text!r} is no number")
    return number


def _count(text: str, where: str) -> int:
    count = _number(text, f"{where}: frequency")
    if not count.is_integer() or not 0 <= count <= MOST_OCCURRENCES:
        raise InputError(f"{where}: frequency {text!r} is no whole number from 0 to {MOST_OCCURRENCES}")
    return int(count)
