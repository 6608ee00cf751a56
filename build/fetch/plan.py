"""What a run fetches, and why: a pure function of the songs, of what the journal knows and of the mode.

    incremental    songs never asked for, failures whose next try is due, files that are missing or damaged
    retry-failed   these, and failures that have used up their tries, each with its tries anew
    recheck        these, and songs that are gone, blocked here or refused: after a new yt-dlp, cookies, another network
    only IDS       these songs whatever their state

In every mode a song whose file is there and matches its hash is kept and not asked for, and one that is a file of the
source folder is looked at again until it is had: nobody rations it, and its owner may have put it right.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from build.errors import InputError
from build.fetch.urls import Target, UnusableError, target_of
from build.tables import SONGS, TEXT, conform

PATIENCE_S = 900.0  # a run waits this long for a song's next try; what is due later is left to the next run

JOURNAL = pa.schema(
    {
        "key": TEXT,  # build.fetch.urls.identity
        "state": TEXT,  # one of taxonomy.STATES
        "status": TEXT,
        "last_at": pa.float64(),
        "next_at": pa.float64(),
        "fault": TEXT,  # why the file of a song that was had is no longer good, null where it is
    }
)
PLAN = pa.schema(
    {
        "song_id": TEXT,
        "key": TEXT,  # null where the address is refused
        "url": TEXT,
        "site": TEXT,
        "action": TEXT,  # fetch, keep (it is had), wait (its next try is later), skip (it has its answer), refuse
        "reason": TEXT,
        "due_at": pa.float64(),
        "anew": pa.bool_(),  # whether earlier tries are forgiven
    }
)
ASKED_AGAIN = {
    "incremental": (),
    "retry-failed": ("failed",),
    "recheck": ("failed", "gone", "blocked", "refused"),
}


def plan(songs: pa.Table, journal: pa.Table, mode: str, only: tuple[str, ...] = (), now: float = 0.0) -> pa.Table:
    """PLAN, a row for each of `songs` (SONGS) in their order; `journal` is JOURNAL, `now` seconds since 1970.

    Raises InputError for an unknown mode, for ids in `only` that no song has, and for a song id that is there twice.
    """
    if mode not in ASKED_AGAIN:
        raise InputError(f"--mode {mode}: allowed are {', '.join(ASKED_AGAIN)}")
    songs = conform(songs, SONGS)
    ids = songs["song_id"].to_pylist()
    _check_ids(ids, only)
    known = {row["key"]: row for row in journal.to_pylist()}
    rows = []
    for number, (song_id, written) in enumerate(zip(ids, songs["url"].to_pylist(), strict=True), start=1):
        try:
            target = target_of(song_id, written)
        except UnusableError as error:
            rows.append(_refusal(song_id, f"song {number} of the list ({song_id}): {error}"))
            continue
        rows.append(_row(target, known.get(target.key), mode, song_id in only if only else None, now))
    return pa.Table.from_pylist(rows, schema=PLAN)


def _row(target: Target, known: Mapping[str, Any] | None, mode: str, named: bool | None, now: float) -> dict[str, Any]:
    action, reason, due_at = _decision(known, not target.site, mode, named, now)
    anew = action == "fetch" and reason in ("asked again", "named")
    return {**vars(target), "action": action, "reason": reason, "due_at": due_at, "anew": anew}


def _decision(
    known: Mapping[str, Any] | None, local: bool, mode: str, named: bool | None, now: float
) -> tuple[str, str, float | None]:
    if known and known["state"] == "had" and not known["fault"]:
        return "keep", "had", None
    if named is not None:
        return ("fetch", "named", now) if named else ("skip", "not named", None)
    if known is None or known["state"] == "untried":
        return "fetch", "new", now
    if known["fault"]:
        return "fetch", known["fault"], now
    if local:
        return "fetch", "a file of the source", now
    if known["state"] in ASKED_AGAIN[mode] or (known["state"] == "retry" and mode != "incremental"):
        return "fetch", "asked again", now
    if known["state"] == "retry":
        return _retry(known["last_at"], known["next_at"], now)
    return "skip", known["status"], None


def _retry(last_at: float, next_at: float, now: float) -> tuple[str, str, float]:
    """A clock that was set back since the last try must not put the next one off for long: then it is due at once."""
    due_at = next_at if last_at <= now else now
    return ("wait" if due_at - now > PATIENCE_S else "fetch"), "next try", due_at


def _refusal(song_id: str, reason: str) -> dict[str, Any]:
    return {"song_id": song_id, "action": "refuse", "reason": reason, "anew": False}


def _check_ids(ids: list[str], only: tuple[str, ...]) -> None:
    counts = Counter(ids)
    if twice := [song_id for song_id, count in counts.items() if count > 1]:
        raise InputError(f"the list of songs has these ids more than once: {', '.join(twice[:10])}")
    if unknown := [song_id for song_id in only if song_id not in counts]:
        raise InputError(f"--only: the list of {len(ids)} songs has no song {', '.join(unknown[:10])}")
