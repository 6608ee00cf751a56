"""The small tables under `metadata/` that people edit, read and checked.

Every reader raises InputError naming the file and the row that cannot be used.
"""

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from build.errors import InputError
from build.workspace import METADATA

Row = dict[str, str]


def read_rows(path: Path, required: tuple[str, ...]) -> list[Row]:
    """The rows of a CSV file of `metadata/`, in order; InputError where a column is missing or a row is ragged."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in required if name not in (reader.fieldnames or [])]
            if missing:
                raise InputError(f"{path}: no column {missing[0]!r}; it has {reader.fieldnames}")
            rows = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read: {error}; save it as CSV in UTF-8") from error
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise InputError(f"{path}, row {number}: has not {len(reader.fieldnames or [])} fields like the header")
    return rows


class Language(NamedTuple):
    """A row of `languages.csv`: `upstream_names` are the ways in which source files name the language or its raters."""

    config: str
    tag: str
    name: str
    population: str
    country: str
    locale: str
    upstream_names: tuple[str, ...]
    script: str
    n_terms: int


@cache
def languages(path: Path = METADATA / "languages.csv") -> tuple[Language, ...]:
    """The languages of the ratings, in the order of the published columns."""
    return tuple(_languages(path))


def _languages(path: Path) -> Iterator[Language]:
    seen: set[str] = set()
    for number, row in enumerate(read_rows(path, Language._fields), start=2):
        where = f"{path}, row {number}"
        if not row["config"].isidentifier():
            raise InputError(f"{where}: config {row['config']!r} must be a plain name: letters, digits and _")
        if not row["n_terms"].isdecimal() or int(row["n_terms"]) == 0:
            raise InputError(f"{where}: n_terms {row['n_terms']!r} must be a whole number above 0")
        names = {row["config"], row["locale"], *row["upstream_names"].split("|")}
        taken = seen & {name.casefold() for name in names}
        if taken:
            raise InputError(f"{where}: {sorted(taken)} already name another language; every name belongs to one row")
        seen |= {name.casefold() for name in names}
        fields = {field: row[field] for field in Language._fields if field not in ("upstream_names", "n_terms")}
        yield Language(**fields, upstream_names=tuple(sorted(names)), n_terms=int(row["n_terms"]))


@cache
def language_names() -> dict[str, str]:
    """Case-folded upstream name -> config of the language that it names."""
    return {name.casefold(): language.config for language in languages() for name in language.upstream_names}


class Country(NamedTuple):
    """A row of `countries.csv`: ISO 3166-1 alpha-2 code, English name, whether GlobalMood has its charts."""

    iso2: str
    name: str
    in_globalmood: bool


@cache
def countries(path: Path = METADATA / "countries.csv") -> dict[str, Country]:
    """Countries by ISO 3166-1 alpha-2 code."""
    rows = read_rows(path, Country._fields)
    return {row["iso2"]: Country(row["iso2"], row["name"], row["in_globalmood"] == "yes") for row in rows}


@cache
def headers(table: str, path: Path = METADATA / "headers.csv") -> dict[str, tuple[str, ...]]:
    """Role -> the headers by which a column of that role is recognised in a `table` file, best first."""
    roles: dict[str, tuple[str, ...]] = {}
    for row in read_rows(path, ("table", "role", "header")):
        if row["table"] == table:
            roles[row["role"]] = (*roles.get(row["role"], ()), row["header"])
    return roles


def roles(path: Path = METADATA / "headers.csv") -> set[str]:
    """Every role that a column can have in some source file."""
    return {row["role"] for row in read_rows(path, ("table", "role", "header"))}


class UpstreamFile(NamedTuple):
    """A file of an upstream release: `hash` is `sha256:HEX`, or `git:HEX` for a git blob id; `bytes` may be empty."""

    dataset: str
    file: str
    url: str
    bytes: str
    hash: str


def upstream_files(dataset: str, path: Path = METADATA / "upstream.csv") -> list[UpstreamFile]:
    """The files of `dataset` (globalmood or madb) in its authors' public release."""
    rows = read_rows(path, UpstreamFile._fields)
    return [UpstreamFile(**row) for row in rows if row["dataset"] == dataset]
