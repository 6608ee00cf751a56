"""Fetching songs: politely, resumably, and honest about every failure.

    songs ──urls──▶ targets ──plan──▶ what to fetch and why ──run──▶ audio files + journal ──▶ FETCHED

`urls`, `plan`, `taxonomy`, `states`, `pace`, `breaker`, `formats` and `redact` are pure; `journal` is the SQLite file;
`download` drives yt-dlp over the guarded connections of `wire`; `loop` and `judge` decide, `run` ties them together.
"""

from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from build.fetch import status
from build.fetch.journal import Journal
from build.fetch.lock import holder
from build.fetch.options import FetchOptions
from build.workspace import Workspace

__all__ = ["FetchOptions", "fetch_songs", "last_word", "source_root_of", "summarise"]


def fetch_songs(songs: pa.Table, source_root: Path | None, workspace: Workspace, options: FetchOptions) -> pa.Table:
    """Fetch what the journal of `workspace` lacks of `songs` (SONGS) and return FETCHED, a row a song by song_id.

    `source_root` is the folder that relative urls are files of. Raises InputError for a list that cannot be fetched
    and RunError where the run, not a song, failed: no network, no room, another run at work, the site refusing.
    """
    from build.fetch.run import run  # yt-dlp takes a second to import, which other verbs should not pay

    return run(songs, source_root, workspace, options)


def last_word(songs: pa.Table, workspace: Workspace, command: str) -> str:
    """One line on where `songs` (SONGS) stand now; `command` is what goes on fetching."""
    with closing(Journal(workspace.journal)) as journal:
        return status.last_word(status.song_statuses(songs, journal.attempts()), command)


def summarise(songs: pa.Table, workspace: Workspace, pace_per_hour: float, now: float) -> dict[str, Any]:
    """What `status --json` prints about `songs` (SONGS); `now` is seconds since 1970."""
    with closing(Journal(workspace.journal)) as journal:
        attempts, resting_until = journal.attempts(), journal.resting_until()
    every = [attempt for tried in attempts.values() for attempt in tried]
    found = status.summary(status.song_statuses(songs, attempts), every, pace_per_hour, resting_until, now)
    return {**found, "running_pid": holder(workspace.root)}


def source_root_of(workspace: Workspace) -> Path | None:
    """The folder that relative urls were files of when songs were last fetched into `workspace`."""
    with closing(Journal(workspace.journal)) as journal:
        written = journal.recall("source_root")
    return Path(written) if written else None
