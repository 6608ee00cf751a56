"""Chains for tests, written briefly: `add`, `rate` and `flag` acts of people at steps."""

from typing import Any

import pyarrow as pa

from build.tables import CHAINS
from build.vocab import Language

LANGUAGES = {
    config: Language(config, "xx", config, "listeners", "XX", config, (config,), "Latin", n_terms)
    for config, n_terms in (("english", 20), ("klingon", 18))
}


def step(number: int, person: int, *acts: str) -> list[dict[str, Any]]:
    """Rows of one step: `+tag` adds, `!tag` flags, `tag 4` rates."""
    return [{"step": number, "participant": person, **_act(act)} for act in acts]


def _act(act: str) -> dict[str, Any]:
    if act[0] in "+!":
        return {"action": {"+": "add", "!": "flag"}[act[0]], "tag": act[1:], "rating": None}
    tag, rating = act.rsplit(" ", 1)
    return {"action": "rate", "tag": tag, "rating": int(rating)}


def chain(*steps: list[dict[str, Any]], **key: str) -> list[dict[str, Any]]:
    """Rows of one chain; `key` names its language, song_id, chain_set and chain where they matter."""
    same = {"language": "english", "song_id": "s1", "chain_set": "1", "chain": "1", **key}
    return [{**same, **row} for rows in steps for row in rows]


def table(*chains: list[dict[str, Any]]) -> pa.Table:
    """CHAINS with the rows of several chains."""
    return pa.Table.from_pylist([row for rows in chains for row in rows], CHAINS)
