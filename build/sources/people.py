"""Files with a row an act of a person: single ratings, and acts in elicitation chains. Every cell stays a string.

The ids in the files may be a crowdsourcing panel's: of people nothing but `pseudonyms` may reach an output.
"""

import hashlib
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from build import vocab
from build.sources.columns import Mapping, pick
from build.sources.textfile import read_csv
from build.tables import encoded

RATING_ROLES = ("song", "participant", "language", "term", "rating")
CHAIN_ROLES = ("song", "participant", "language", "chain", "step", "tag", "action")
SALT = "globalmood-participants-1"

# ids as panels give them (24 hex digits, UUID), and e-mail addresses
_SOMEONE = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{24}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})(?![0-9A-Za-z])"
    r"|[^\s@]@[\w-]+(?:\.[\w-]+)+"
)

Pseudonyms = dict[tuple[str, str], int]  # (language config, id in the file) -> running number within the language


def read_ratings(path: Path, mapping: Mapping) -> pa.Table:
    """One rating a row: columns RATING_ROLES, strings as in the file, in dictionaries."""
    answers = pick(read_csv(path, dictionaries=True), "ratings", RATING_ROLES, mapping, path)
    return pa.table([encoded(column) for column in answers.columns], names=answers.column_names)


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
        language, person = (encoded(table[name]) for name in ("language", "participant"))
        configs = [config.get(name.strip().casefold()) for name in language.dictionary.to_pylist()]
        names = [name.strip() for name in person.dictionary.to_pylist()]
        pairs = language.indices.to_numpy().astype(np.int64) * max(len(names), 1) + person.indices.to_numpy()
        for pair in pc.unique(pa.array(pairs)).to_numpy():
            where, who = configs[pair // len(names)], names[pair % len(names)]
            if where and who:
                people.add((where, who))
    count: dict[str, int] = {}
    numbers: Pseudonyms = {}
    for language, person in sorted(people, key=_hashed):
        count[language] = count.get(language, 0) + 1
        numbers[language, person] = count[language]
    return numbers


def names_someone(text: str) -> bool:
    """Whether `text` holds what looks like the id that a panel gives to a person, or an e-mail address.

    >>> names_someone("ask 5f8a1c2e9b7d4e0012ab34cd"), names_someone("calm @ home")
    (True, False)
    """
    return bool(_SOMEONE.search(text))


def nameless(label: str) -> str:
    """A label of something else than a person, such as a chain; 12 digits of its hash where it `names_someone`.

    >>> nameless("chain 7"), nameless("3b241101-e2bb-4255-8caf-4136c566a962")
    ('chain 7', '844c417d259e')
    """
    return hashlib.sha256(f"{SALT}\0{label}".encode()).hexdigest()[:12] if names_someone(label) else label


def _hashed(person: tuple[str, str]) -> bytes:
    return hashlib.sha256("\0".join((SALT, *person)).encode()).digest()
