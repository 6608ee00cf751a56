"""Elicitation acts stage: rows of a chains file in, CHAINS out, with people by pseudonym.

Only what cannot be placed is left out here. Whether an act fits its chain is for `build.elicitation` to judge.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from build import vocab
from build.sources.people import Pseudonyms, nameless, names_someone
from build.sources.textfile import FIRST_ROW
from build.tables import CHAINS, DROPPED, conform

ONE_SET = "1"  # the set of chains whose file does not tell sets apart
NO_ROW = 0  # of what is left out and stands in no single row of a file
DETAIL = ("language", "song", "chain", "step", "action")  # what is told of an act that was dropped
REASONS = {
    "unknown_language": "the language or country is in no row of metadata/languages.csv",
    "unknown_song": "the song is not in the song list",
    "no_participant": "nobody is named",
    "no_step": "the step is no whole number from 0 to 32767",
    "names_someone": "the tag holds a panel's id or an e-mail address",
}


def clean(acts: pa.Table, songs: pa.Table, people: Pseudonyms, file: str) -> tuple[pa.Table, pa.Table]:
    """Return (kept, dropped): CHAINS in the order of the file; DROPPED with a reason of REASONS.

    Parameters
    ----------
    acts : strings `song`, `participant`, `language`, `chain`, `step`, `tag`, `action`; `set` and `rating` may be absent
    songs : SONGS
    people : numbers of the participants (`build.sources.people.pseudonyms`)
    file : what the dropped rows are said to come from
    """
    known = set(songs["song_id"].to_pylist())
    kept, dropped = [], []
    for number, act in enumerate(acts.to_pylist(), start=FIRST_ROW):
        row = _placed(act, people)
        reason = _reason(row, known)
        if reason is None:
            kept.append(row)
        else:
            detail = ", ".join(f"{name}={nameless(act[name])}" for name in DETAIL)
            dropped.append({"file": file, "row": number, "reason": reason, "detail": detail})
    return (
        conform(pa.Table.from_pylist(kept, CHAINS), CHAINS),
        conform(pa.Table.from_pylist(dropped, DROPPED), DROPPED),
    )


def in_file(left_out: pa.Table, kept: pa.Table, dropped: pa.Table, file: str) -> pa.Table:
    """`left_out` (DROPPED of `build.elicitation.elicit`), whose rows are those of `kept`, with the rows of the file.

    `kept` and `dropped` are what `clean` made of all acts in `file`.
    """
    every = np.arange(FIRST_ROW, FIRST_ROW + kept.num_rows + dropped.num_rows)
    rows = np.concatenate([[NO_ROW], np.setdiff1d(every, dropped["row"].to_numpy())])[left_out["row"].to_numpy()]
    told = {"file": [file] * len(rows), "row": rows, "reason": left_out["reason"], "detail": left_out["detail"]}
    return conform(pa.table(told), DROPPED)


def _placed(act: dict[str, str], people: Pseudonyms) -> dict[str, Any]:
    language = vocab.language_names().get(act["language"].strip().casefold())
    return {
        "language": language,
        "song_id": act["song"].strip(),
        "chain_set": nameless(act.get("set", "").strip() or ONE_SET),
        "chain": nameless(act["chain"].strip()),
        "step": _whole(act["step"], 0, 32767),
        "participant": people.get((language or "", act["participant"].strip())),
        "tag": act["tag"],
        "action": act["action"].strip().lower(),
        "rating": _whole(act.get("rating", ""), -128, 127),
    }


def _reason(row: dict[str, Any], songs: set[str]) -> str | None:
    if row["language"] is None:
        return "unknown_language"
    if row["song_id"] not in songs:
        return "unknown_song"
    if row["participant"] is None:
        return "no_participant"
    if row["step"] is None:
        return "no_step"
    return "names_someone" if names_someone(row["tag"]) else None


def _whole(text: str, lowest: int, highest: int) -> int | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if value.is_integer() and lowest <= value <= highest else None
