"""What is true of the work folder now: the journal's last word on every song, held against the files themselves."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa

from build.fetch.journal import Attempt
from build.fetch.plan import JOURNAL
from build.fetch.states import Standing, standing
from build.fetch.urls import Target, UnusableError, target_of
from build.files import sha256_of
from build.tables import FETCHED

FAULTS = MISSING, DAMAGED, CHANGED = "its file is missing", "its file is damaged", "its source file has changed"
READERS = 2  # hashing leaves the interpreter's lock; more readers only fight over the disk


def survey(standings: dict[str, Standing], asked: Iterable[Target], audio: Path, source_root: Path | None) -> pa.Table:
    """JOURNAL, a row for every target that was ever answered. Every file that is said to be had is hashed."""
    known = [(target, standings[target.key]) for target in asked if target.key in standings]
    with ThreadPoolExecutor(READERS) as pool:
        faults = list(pool.map(lambda pair: _fault(pair[0], pair[1], audio, source_root), known))
    rows = [
        {
            "key": target.key,
            "state": one.state,
            "status": one.status,
            "last_at": one.last.at if one.last else None,
            "next_at": one.next_at,
            "fault": fault,
        }
        for (target, one), fault in zip(known, faults, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=JOURNAL)


def usable(songs: pa.Table) -> list[Target]:
    """The targets of SONGS, without those whose address is refused."""
    return [target for target in targets(songs) if isinstance(target, Target)]


def fetched(songs: pa.Table, attempts: dict[str, list[Attempt]], audio: Path) -> pa.Table:
    """FETCHED, a row for each of `songs` (SONGS) by song_id, from what the journal says."""
    ids = songs["song_id"].to_pylist()
    rows = [
        {"song_id": song_id, **_published(target, attempts, audio)}
        for song_id, target in zip(ids, targets(songs), strict=True)
    ]
    return pa.Table.from_pylist(sorted(rows, key=lambda row: row["song_id"]), schema=FETCHED)


def targets(songs: pa.Table) -> Iterator[Target | UnusableError]:
    """The target of each of SONGS, or why its address is refused."""
    for song_id, written in zip(songs["song_id"].to_pylist(), songs["url"].to_pylist(), strict=True):
        try:
            yield target_of(song_id, written)
        except UnusableError as error:
            yield error


def _published(
    target: Target | UnusableError, attempts: dict[str, list[Attempt]], audio: Path
) -> dict[str, str | None]:
    if isinstance(target, UnusableError):
        return {"status": "bad_url", "message": str(target)}
    one = standing(attempts.get(target.key, ()))
    if one.last is None:
        return {"status": "not_fetched"}
    if one.state != "had":
        return {"status": one.status, "message": one.last.message}
    path = audio / (one.last.path or "")
    if not path.is_file():
        return {"status": "not_fetched", "message": MISSING}
    return {"status": "ok", "path": str(path), "sha256": one.last.sha256}


def _fault(target: Target, one: Standing, audio: Path, source_root: Path | None) -> str | None:
    if one.state != "had" or one.last is None:
        return None
    if fault := _file_fault(one.last, audio):
        return fault
    if not target.site and source_root and _hash(source_root / target.url) not in (one.last.sha256, None):
        return CHANGED
    return None


def _file_fault(last: Attempt, audio: Path) -> str | None:
    found = _hash(audio / (last.path or ""))
    if found is None:
        return MISSING
    return None if found == last.sha256 else DAMAGED


def _hash(path: Path) -> str | None:
    try:
        return sha256_of(path)
    except OSError:
        return None
