"""Which column of a source file plays which role: by its header (`metadata/headers.csv`), or mapped by option."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from build import vocab
from build.errors import InputError

Mapping = dict[str, str]  # role -> header, from `--column ROLE=HEADER`


def parse_mapping(options: Iterable[str]) -> Mapping:
    """`["rating=answer"]` -> `{"rating": "answer"}`; raises InputError for an unknown role or another form."""
    mapping: Mapping = {}
    for option in options:
        role, equals, header = option.partition("=")
        if not equals or not header or role not in vocab.roles():
            raise InputError(f"--column {option}: wanted ROLE=HEADER, with a role of {sorted(vocab.roles())}")
        mapping[role] = header
    return mapping


def pick(table: pa.Table, kind: str, required: Iterable[str], mapping: Mapping, path: Path) -> pa.Table:
    """The columns of `table` that play a role in a file of this `kind`, renamed to their roles.

    A column plays one role only; the others are left out. Raises InputError, with what was found and the option that
    helps, where a `required` role has no column.
    """
    found: dict[str, str] = {}
    for role, accepted in vocab.headers(kind).items():
        mapped = mapping.get(role, "")
        candidates = [mapped] if mapped in table.column_names else _recognised(accepted, table.column_names)
        unused = [header for header in candidates if header not in found.values()]
        if unused:
            found[role] = unused[0]
    for role in required:
        if role not in found:
            raise InputError(
                f"{path}: no column for {role!r} among {table.column_names}; accepted are "
                f"{list(vocab.headers(kind)[role])}; name yours with --column {role}=HEADER"
            )
    return table.select(list(found.values())).rename_columns(list(found))


def _recognised(accepted: tuple[str, ...], headers: list[str]) -> list[str]:
    by_key = {header.strip().casefold(): header for header in headers}
    return [by_key[name.casefold()] for name in accepted if name.casefold() in by_key]
