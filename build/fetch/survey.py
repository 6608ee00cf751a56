"""What is true of the work folder now: the journal's last word on every song, held against the files themselves."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from build import storage
from build.fetch.journal import Attempt
from build.fetch.plan import JOURNAL
from build.fetch.states import UNTRIED, Standing, standing
from build.fetch.urls import Target, UnusableError, target_of
from build.files import sha256_of
from build.tables import FETCHED

FAULTS = MISSING, DAMAGED, CHANGED = "its file is missing", "its file is damaged", "its source file has changed"
PART = 1_000  # rows
READERS = 2  # hashing leaves the interpreter's lock; more readers only fight over the disk
Item = TypeVar("Item")
Histories = Iterable[tuple[str, Sequence[Attempt]]]  # keys with their attempts, oldest first


def survey(histories: Histories, asked: Iterable[Target], audio: Path, source_root: Path | None) -> pa.Table:
    """JOURNAL, a row for every target that was ever answered. Every file that is said to be had is hashed."""
    targets = {target.key: target for target in asked}
    known = ((targets[key], standing(attempts)) for key, attempts in histories if key in targets)
    with ThreadPoolExecutor(READERS) as pool:

        def describe(some: Iterable[tuple[Target, Standing]]) -> pa.Table:
            rows = pool.map(lambda pair: _known(pair[0], pair[1], audio, source_root), some)
            return pa.Table.from_pylist(list(rows), schema=JOURNAL)

        return pa.concat_tables([JOURNAL.empty_table(), *map(describe, _parts(known))])


def _known(target: Target, one: Standing, audio: Path, source_root: Path | None) -> dict[str, str | float | None]:
    return {
        "key": target.key,
        "state": one.state,
        "status": one.status,
        "last_at": one.last.at if one.last else None,
        "next_at": one.next_at,
        "fault": _fault(target, one, audio, source_root),
    }


def _parts(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Lists of PART items or fewer: tables are made part by part, since rows as dicts take ten times their room."""
    left = iter(items)
    while part := list(islice(left, PART)):
        yield part


def usable(songs: pa.Table) -> list[Target]:
    """The targets of SONGS, without those whose address is refused."""
    return [target for target in targets(songs) if isinstance(target, Target)]


def fetched(songs: pa.Table, histories: Histories, audio: Path) -> pa.Table:
    """FETCHED, a row for each of `songs` (SONGS) by song_id, from what the journal says."""
    parts = [pa.Table.from_pylist(part, schema=FETCHED) for part in _parts(_fetched(songs, histories, audio))]
    return pa.concat_tables([FETCHED.empty_table(), *parts]).sort_by("song_id")


def _fetched(songs: pa.Table, histories: Histories, audio: Path) -> Iterator[dict[str, str | None]]:
    """Rows of FETCHED: of songs that were asked for, of those that were not yet, and of those that are refused."""
    asked = {target.key: target.song_id for target in usable(songs)}
    for key, attempts in histories:
        if key in asked:
            yield {"song_id": asked.pop(key), **_published(attempts, audio)}
    for song_id in asked.values():
        yield {"song_id": song_id, "status": UNTRIED.status}
    for song_id, target in zip(songs["song_id"].to_pylist(), targets(songs), strict=True):
        if isinstance(target, UnusableError):
            yield {"song_id": song_id, "status": "bad_url", "message": str(target)}


def targets(songs: pa.Table) -> Iterator[Target | UnusableError]:
    """The target of each of SONGS, or why its address is refused."""
    for song_id, written in zip(songs["song_id"].to_pylist(), songs["url"].to_pylist(), strict=True):
        try:
            yield target_of(song_id, written)
        except UnusableError as error:
            yield error


def _published(attempts: Sequence[Attempt], audio: Path) -> dict[str, str | None]:
    one = standing(attempts)
    if one.last is None:
        return {"status": "not_fetched"}
    if one.state != "had":
        return {"status": one.status, "message": one.last.message}
    path = audio / (one.last.path or "")
    if storage.size_of(path) is None:
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
    path = audio / (last.path or "")
    if storage.is_remote(path):  # to read all of it would cost more than to fetch it; who cuts the excerpt does
        size = storage.size_of(path)
        return MISSING if size is None else DAMAGED if size != last.bytes else None
    found = _hash(path)
    if found is None:
        return MISSING
    return None if found == last.sha256 else DAMAGED


def _hash(path: Path) -> str | None:
    try:
        return sha256_of(path)
    except OSError:
        return None
