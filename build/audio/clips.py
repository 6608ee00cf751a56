"""The excerpt stage: fetched songs in, one row of CLIPS for every song out, payloads in the clips folder."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

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
    songs, fetched = conform(songs, SONGS), _by_song(songs, conform(fetched, FETCHED))
    had = pc.fill_null(pc.equal(fetched["status"], "ok"), False)
    rows = _Rows(_without_tracks(songs, fetched, pc.invert(had)))
    clips.mkdir(parents=True, exist_ok=True)
    jobs = _jobs(songs.filter(had), fetched.filter(had), options, clips, starts)
    with progress("excerpts", pc.sum(had).as_py() or 0) as advance:
        for job, outcome in workers.run_each(make_clip, jobs, time_limit_s):
            row = _lost(job, outcome) if isinstance(outcome, Failure) else outcome
            rows.add(row)
            advance(row["status"] == "ok")
    return conform(rows.table().sort_by("song_id"), CLIPS)


class _Rows:
    """A table of CLIPS that grows by rows: as Arrow, which holds them in a tenth of the memory that dicts take."""

    def __init__(self, first: pa.Table) -> None:
        self._parts, self._fresh = [first], list[Row]()

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


def _by_song(songs: pa.Table, fetched: pa.Table) -> pa.Table:
    """The row of `fetched` of each of `songs`, in their order; nulls where there is none."""
    return fetched.take(pc.index_in(songs["song_id"], value_set=fetched["song_id"].combine_chunks()))


def _without_tracks(songs: pa.Table, fetched: pa.Table, lost: pa.ChunkedArray) -> pa.Table:
    """CLIPS of the songs that have no track: a status, and what fetching said."""
    songs, fetched = songs.filter(lost), fetched.filter(lost)
    known = {
        "song_id": songs["song_id"],
        "status": pc.fill_null(fetched["status"], NOT_FETCHED),
        "message": fetched["message"],
    }
    rest = {field.name: pa.nulls(len(songs), field.type) for field in CLIPS if field.name not in known}
    return pa.table(known | rest).select(CLIPS.names).cast(CLIPS)


def _jobs(
    songs: pa.Table, fetched: pa.Table, options: ClipOptions, clips: Path, starts: dict[str, float]
) -> Iterator[ClipJob]:
    """A job for every song, whose track is in the same row of `fetched`."""
    tracks = songs.append_column("path", fetched["path"]).append_column("sha256", fetched["sha256"])
    for some in tracks.to_batches(max_chunksize=ROWS_A_PART):
        for song in some.to_pylist():
            request = WindowRequest(song["song_id"], options.seed, song["start_s"], starts.get(song["song_id"]))
            yield ClipJob(request, Path(song["path"]), song["sha256"], options, clips)


def _lost(job: ClipJob, failure: Failure) -> Row:
    message = f"{failure.kind}: {failure.message}"
    return {
        "song_id": job.request.song_id,
        "status": "decode_error",
        "message": message,
        "source_sha256": job.source_sha256,
    }
