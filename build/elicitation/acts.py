"""Rows of CHAINS to the steps of each chain, and the acts that cannot be read."""

from collections.abc import Container
from typing import Any, NamedTuple

import pyarrow as pa

from build.elicitation.chain import Act, LeftOut, Step
from build.tables import match_key

ACTIONS = ("add", "rate", "flag")
LOWEST, HIGHEST = 1, 5  # points of the rating scale, both inclusive


class ChainKey(NamedTuple):
    """Which chain: of a language, about a song, in a set."""

    language: str
    song_id: str
    chain_set: str
    chain: str


def steps_by_chain(chains: pa.Table, languages: Container[str]) -> tuple[dict[ChainKey, list[Step]], LeftOut]:
    """The steps of each chain of CHAINS, and the acts that cannot be read, each with its reason.

    Acts in other `languages` are unknown. `row` of an act counts the rows of `chains` from 1.
    """
    acts: dict[ChainKey, dict[tuple[int, int], list[Act]]] = {}
    unreadable = []
    for number, row in enumerate(chains.to_pylist(), start=1):
        act = _act(row, number)
        fault = _fault(act) if row["language"] in languages else "unknown_language"
        if fault:
            unreadable.append((act, fault))
        else:
            chain = acts.setdefault(ChainKey(*(row[name] for name in ChainKey._fields)), {})
            chain.setdefault((row["step"], row["participant"]), []).append(act)
    steps = {key: [Step(*who, tuple(done)) for who, done in chain.items()] for key, chain in acts.items()}
    return steps, unreadable


def _act(row: dict[str, Any], number: int) -> Act:
    rating = row["rating"] if row["action"] == "rate" else None
    return Act(row["action"], match_key(row["tag"]), row["tag"], rating, number)


def _fault(act: Act) -> str | None:
    if act.action not in ACTIONS:
        return "unknown_action"
    if not act.key:
        return "empty_tag"
    if act.action == "rate" and not (act.rating is not None and LOWEST <= act.rating <= HIGHEST):
        return "bad_rating"
    return None
