"""Which column of a MADB file plays which role: by `metadata/madb/headers.csv`, or mapped by option."""

import re
from collections.abc import Iterable
from pathlib import Path

from build import vocab
from build.errors import InputError
from build.madb.contract import FOLDER

HEADERS = FOLDER / "headers.csv"
Mapping = dict[str, str]  # role -> header, from `--column ROLE=HEADER`
_NUMBERED = re.compile(r"(?P<stem>.*?)_?(?P<number>\d+)")


def parse_mapping(options: Iterable[str]) -> Mapping:
    """`["overall_score=total"]` -> `{"overall_score": "total"}`; InputError for an unknown role or another form."""
    mapping: Mapping = {}
    for option in options:
        role, equals, header = option.partition("=")
        if not equals or not header or role not in vocab.roles(HEADERS):
            raise InputError(f"--column {option}: wanted ROLE=HEADER, with a role of {sorted(vocab.roles(HEADERS))}")
        mapping[role] = header
    return mapping


def columns_of(table: str, names: list[str], mapping: Mapping) -> dict[str, str]:
    """Role -> the column of `names` that plays it in a file of this kind (tracks or annotations)."""
    by_key = {name.strip().casefold(): name for name in names}
    found = {}
    for role, headers in _accepted(table, mapping).items():
        there = [by_key[header] for header in headers if header in by_key]
        if there:
            found[role] = there[0]
    return found


def numbered_columns_of(table: str, names: list[str], mapping: Mapping) -> dict[tuple[str, int], str]:
    """(Role, number) -> column, of columns such as `comment_eng1` and `mood_12`: one of each for every annotator."""
    role_of = {header: role for role, headers in _accepted(table, mapping).items() for header in headers}
    found = {}
    for name in names:
        match = _NUMBERED.fullmatch(name.strip().casefold())
        if match and match["stem"] in role_of:
            found[role_of[match["stem"]], int(match["number"])] = name
    return found


def require(path: Path, found: dict[str, str], roles: Iterable[str], names: list[str], table: str) -> None:
    """Raise InputError naming the first of `roles` that no column plays, what there is and the option that helps."""
    for role in roles:
        if role not in found:
            accepted = list(_accepted(table, {})[role])
            raise InputError(
                f"{path}: no column for {role!r} among {names}; accepted are {accepted}; "
                f"name yours with --column {role}=HEADER"
            )


def _accepted(table: str, mapping: Mapping) -> dict[str, tuple[str, ...]]:
    roles = vocab.headers(table, HEADERS)
    return {role: (mapping[role].casefold(),) if role in mapping else headers for role, headers in roles.items()}
