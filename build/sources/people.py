"""Files with a row an act of a person: single ratings, and acts in elicitation chains. Every column stays a string.

Participants leave here only as pseudonyms: the ids in the files may be a crowdsourcing panel's.
"""

import hashlib
from pathlib import Path

import pyarrow as pa

from build import vocab
from build.sources.columns import Mapping, pick
from build.sources.textfile import read_csv

RATING_ROLES = ("song", "participant", "language", "term", "rating")
CHAIN_ROLES = ("song", "participant", "language", "chain", "step", "tag", "action")
SALT = "globalmood-participants-1"

Pseudonyms = dict[tuple[str, str], int]  # (language config, id in the file) -> running number within the language


def read_ratings(path: Path, mapping: Mapping) -> pa.Table:
    """One rating a row: columns RATING_ROLES, strings as in the file."""
    return pick(read_csv(path), "ratings", RATING_ROLES, mapping, path)


def read_chains(path: Path, mapping: Mapping) -> pa.Table:
    """One act a row: columns CHAIN_ROLES, and `set` and `rating` where the file has them, strings as in the file."""
    return pick(read_csv(path), "chains", CHAIN_ROLES, mapping, path)


def pseudonyms(*acts: pa.Table) -> Pseudonyms:
    """Number the people of tables with the columns `language` and `participant`, from 1 within each language.

    The order is that of a hash, so that a number tells neither the id nor its place in a file. Someone with the same id
    in two tables keeps one number. Rows whose language is unknown are passed over.
    """
    config = vocab.language_names()
    people: set[tuple[str, str]] = set()
    for table in acts:
        for pair in table.group_by(["language", "participant"]).aggregate([]).to_pylist():
            language = config.get(pair["language"].strip().casefold())
            if language and pair["participant"].strip():
                people.add((language, pair["participant"].strip()))
    count: dict[str, int] = {}
    numbers: Pseudonyms = {}
    for language, person in sorted(people, key=_hashed):
        count[language] = count.get(language, 0) + 1
        numbers[language, person] = count[language]
    return numbers


def _hashed(person: tuple[str, str]) -> bytes:
    return hashlib.sha256("\0".join((SALT, *person)).encode()).digest()
