"""Fetching songs: politely, resumably, and honest about every failure.

    songs ──urls──▶ targets ──plan──▶ what to fetch and why ──run──▶ audio files + journal ──▶ FETCHED

`urls`, `plan`, `taxonomy`, `states`, `pace`, `breaker`, `formats` and `redact` are pure; `journal` is the SQLite file;
`download` drives yt-dlp over the guarded connections of `wire`; `loop` and `judge` decide, `run` ties them together.
"""

from pathlib import Path

import pyarrow as pa

from build.fetch.options import FetchOptions
from build.workspace import Workspace

__all__ = ["FetchOptions", "fetch_songs"]


def fetch_songs(songs: pa.Table, source_root: Path | None, workspace: Workspace, options: FetchOptions) -> pa.Table:
    """Fetch what the journal of `workspace` lacks of `songs` (SONGS) and return FETCHED, a row a song by song_id.

    `source_root` is the folder that relative urls are files of. Raises InputError for a list that cannot be fetched
    and RunError where the run, not a song, failed: no network, no room, another run at work, the site refusing.
    """
    from build.fetch.run import run  # yt-dlp takes a second to import, which other verbs should not pay

    return run(songs, source_root, workspace, options)
