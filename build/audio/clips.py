"""The excerpt stage: fetched songs in, one row of CLIPS for every song out, payloads in the clips folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from build import storage
from build.audio.clip import ClipJob, Row, make_clip
from build.audio.options import ClipOptions
from build.audio.window import WindowRequest
from build.progress import progress
from build.tables import CLIPS, FETCHED, SONGS, conform
from build.workers import Failure, Workers

NOT_FETCHED = "not_fetched"  # status of a song of which fetching knows nothing
ROWS_A_PART = 1_000  # that are Python objects at a time
TIME_LIMIT_S = 600.0  # a song: a sane one takes a tenth of a second, a ten-hour mix some seconds


def excerpt_songs(
    songs: pa.Table,
    fetched: pa.Table,
    options: ClipOptions,
    clips: Path,
    workers: Workers,
    replay: pa.Table | None = None,
    time_limit_s: float = TIME_LIMIT_S,
) -> pa.Table:
    """Cut, level and encode the excerpt of every song: a table CLIPS, sorted by song_id.

    `songs` and `fetched` are SONGS and FETCHED; a song that was not fetched keeps the status it has there.
    `replay` gives the windows of an earlier build (columns song_id, start_s). What is already in the folder
    `clips` and still whole is not made again.
    """
    starts = dict(zip(replay["song_id"].to_pylist(), replay["start_s"].to_pylist(), strict=True)) if replay else {}
    songs, fetched, rows = conform(songs, SONGS), conform(fetched, FETCHED), _Rows()

    def jobs() -> Iterator[ClipJob]:
        for song, track in _tracks(songs, fetched):
            song_id = song["song_id"]
            if track["status"] == "ok":
                request = WindowRequest(song_id, options.seed, song["start_s"], starts.get(song_id))
                yield ClipJob(request, storage.at(track["path"]).absolute(), track["sha256"], options, clips)
            else:
                status = track["status"] or NOT_FETCHED
                rows.add({"song_id": song_id, "status": status, "message": track["message"]})

    if not storage.is_remote(clips):
        clips.mkdir(parents=True, exist_ok=True)
    with progress("excerpts", fetched["status"].to_pylist().count("ok")) as advance:
        for job, outcome in workers.run_each(make_clip, jobs(), time_limit_s):
            row = _lost(job, outcome) if isinstance(outcome, Failure) else outcome
            rows.add(row)
            advance(row["status"] == "ok")
    return conform(rows.table().sort_by("song_id"), CLIPS)


class _Rows:
    """A table of CLIPS that grows by rows: as Arrow, which holds them in a tenth of the memory that dicts take."""

    def __init__(self) -> None:
        self._parts, self._fresh = [CLIPS.empty_table()], list[Row]()

    def add(self, row: Row) -> None:
        self._fresh.append(row)
        if len(self._fresh) == ROWS_A_PART:
            self._close_part()

    def table(self) -> pa.Table:
        self._close_part()
        return pa.concat_tables(self._parts)

    def _close_part(self) -> None:
        self._parts.append(pa.Table.from_pylist(self._fresh, CLIPS))
        self._fresh = []


def _tracks(songs: pa.Table, fetched: pa.Table) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each of `songs` with its row of `fetched`, whose values are null where there is none."""
    places = pc.index_in(songs["song_id"], value_set=fetched["song_id"].combine_chunks())
    for start in range(0, len(songs), ROWS_A_PART):
        tracks = fetched.take(places.slice(start, ROWS_A_PART))
        yield from zip(songs.slice(start, ROWS_A_PART).to_pylist(), tracks.to_pylist(), strict=True)


def _lost(job: ClipJob, failure: Failure) -> Row:
    message = f"{failure.kind}: {failure.message}"
    return {
        "song_id": job.request.song_id,
        "status": "decode_error",
        "message": message,
        "source_sha256": job.source_sha256,
    }
