"""The excerpt stage: fetched songs in, one row of CLIPS for every song out, payloads in the clips folder."""

from pathlib import Path

import pyarrow as pa

from build.audio.clip import ClipJob, Row, make_clip
from build.audio.options import ClipOptions
from build.audio.window import WindowRequest
from build.progress import progress
from build.tables import CLIPS, FETCHED, SONGS, conform
from build.workers import Failure, Workers

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
    jobs, rows = _plan(conform(songs, SONGS), conform(fetched, FETCHED), options, clips, starts)
    clips.mkdir(parents=True, exist_ok=True)
    with progress("excerpts", len(jobs)) as advance:
        for job, outcome in workers.run_each(make_clip, jobs, time_limit_s):
            row = _lost(job, outcome) if isinstance(outcome, Failure) else outcome
            rows.append(row)
            advance(row["status"] == "ok")
    rows.sort(key=lambda row: str(row["song_id"]))
    return conform(pa.Table.from_pylist(rows, CLIPS), CLIPS)


def _plan(
    songs: pa.Table, fetched: pa.Table, options: ClipOptions, clips: Path, starts: dict[str, float]
) -> tuple[list[ClipJob], list[Row]]:
    """A job for every song that has a track, and the rows of the others."""
    have = {row["song_id"]: row for row in fetched.to_pylist()}
    jobs: list[ClipJob] = []
    rows: list[Row] = []
    for song in songs.to_pylist():
        song_id = song["song_id"]
        track = have.get(song_id, {"status": "not_fetched", "message": None})
        if track["status"] == "ok":
            request = WindowRequest(song_id, options.seed, song["start_s"], starts.get(song_id))
            jobs.append(ClipJob(request, Path(track["path"]), track["sha256"], options, clips))
        else:
            rows.append({"song_id": song_id, "status": track["status"], "message": track["message"]})
    return jobs, rows


def _lost(job: ClipJob, failure: Failure) -> Row:
    message = f"{failure.kind}: {failure.message}"
    return {
        "song_id": job.request.song_id,
        "status": "decode_error",
        "message": message,
        "source_sha256": job.source_sha256,
    }
