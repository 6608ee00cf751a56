"""A run from end to end: lock, journal, survey, plan, preflight, loop, and the table of what is had."""

import functools
import hashlib
import logging
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from build.errors import InputError, RunError
from build.fetch import preflight
from build.fetch.breaker import Rest
from build.fetch.download import Doer
from build.fetch.journal import Journal
from build.fetch.judge import Judge, Song, Surroundings
from build.fetch.local import serving
from build.fetch.lock import only_run
from build.fetch.loop import Lane, Loop
from build.fetch.options import FetchOptions
from build.fetch.pace import HOUR_S, Clock, Gap, SystemClock, TokenBucket
from build.fetch.parameters import check_cookies
from build.fetch.plan import plan
from build.fetch.states import tries
from build.fetch.survey import FAULTS, fetched, survey, usable
from build.fetch.urls import MEDIA_HOSTS, PACED_HOSTS, YOUTUBE, Target, target_of, within
from build.progress import Advance, progress
from build.workspace import Workspace

SHOWN = 10  # songs named in a message
PAGE_GAP_S = (0.75, 1.25)  # between two requests to YouTube that are no media
OLDEST = "jNQXAC9IVRw"  # the first video of the site: there since 2005

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Run:
    songs: pa.Table
    source_root: Path | None
    workspace: Workspace
    options: FetchOptions
    clock: Clock
    journal: Journal

    @property
    def partial(self) -> Path:
        """Where unfinished files are: below the cache, so that a rename is all that finishes one."""
        return self.workspace.unfinished


def run(
    songs: pa.Table,
    source_root: Path | None,
    workspace: Workspace,
    options: FetchOptions,
    clock: Clock | None = None,
) -> pa.Table:
    """See `build.fetch.fetch_songs`; `clock` is the machine's own unless another is given."""
    check_cookies(options)
    if source_root and not source_root.is_dir():
        raise InputError(f"--source-root {source_root}: there is no such folder")
    with only_run(workspace.root), closing(Journal(workspace.journal)) as journal:
        this = _Run(songs, source_root, workspace, options, clock or SystemClock(), journal)
        shutil.rmtree(this.partial, ignore_errors=True)
        if source_root:
            journal.remember("source_root", str(source_root.resolve()))
        try:
            if wanted := _wanted(this):
                _fetch(this, wanted)
        finally:
            shutil.rmtree(this.partial, ignore_errors=True)
        return fetched(songs, journal.histories(), workspace.audio)


def _wanted(this: _Run) -> list[Song]:
    """The songs that the plan says to fetch, each with the tries it has behind it."""
    now = this.clock.now()
    known = survey(this.journal.histories(), usable(this.songs), this.workspace.audio, this.source_root)
    planned = plan(this.songs, known, this.options.mode, this.options.only, now)
    rows = planned.filter(pc.equal(planned["action"], "fetch")).to_pylist()
    attempts = this.journal.attempts() if rows else {}
    _tell_faults(rows)
    songs = []
    for order, row in enumerate(rows):
        target = Target(row["song_id"], row["url"], row["site"], row["key"])
        songs.append(
            Song(row["due_at"], order, target, Counter() if row["anew"] else tries(attempts.get(target.key, ())))
        )
    _check_folder(songs, this.source_root)
    return songs


def _tell_faults(rows: list[dict[str, Any]]) -> None:
    """Say which songs that were had are fetched again; `rows` are those of the songs to fetch."""
    for fault in FAULTS:
        if ids := [row["song_id"] for row in rows if row["reason"] == fault]:
            more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
            log.warning("fetched again, since %s: %s%s", fault, ", ".join(ids[:SHOWN]), more)


def _check_folder(songs: list[Song], source_root: Path | None) -> None:
    if source_root is None and (relative := [song.target for song in songs if not song.target.site]):
        raise InputError(
            f"song {relative[0].song_id} is the file {relative[0].url} of its source, as are {len(relative)} in all: "
            "give the source's folder with --source-root"
        )


def _fetch(this: _Run, songs: list[Song]) -> None:
    found = preflight.findings([song.target for song in songs], this.options, this.workspace.root, this.source_root)
    for finding in found:
        if finding.level == preflight.WARNING:
            log.warning("%s", finding)
    if failures := [str(finding) for finding in found if finding.level == preflight.FAILURE]:
        raise RunError(f"nothing was asked for. {'; '.join(failures)}")
    with serving(this.source_root) as folder_url, progress("fetch", len(songs)) as advance:
        _loop(this, songs, folder_url, advance, lambda: "; ".join(map(str, found)))


def _loop(this: _Run, songs: list[Song], folder_url: str, advance: Advance, diagnosis: Callable[[], str]) -> None:
    bucket, before_request = _bucket(this), _politeness(this)
    doers = [
        Doer(this.options, this.workspace.audio, this.partial / str(number), before_request)
        for number in range(this.options.connections + 1)
    ]
    rest = _recalled(this)
    paced, free = Lane(doers[:1], bucket), Lane(doers[1:])
    loop = Loop(paced, free, rest, this.clock, folder_url, this.options.limit_s)
    probe = functools.partial(_probe, this, doers[0], bucket)
    surroundings = Surroundings(probe, diagnosis, loop.again, advance, functools.partial(_keep, this))
    try:
        loop.run(songs, Judge(this.journal, this.clock, rest, surroundings))
    finally:
        for doer in reversed(doers):  # the first has the site's newest cookies, and writes them last
            doer.close()


def _politeness(this: _Run) -> Callable[[str], None]:
    """What is done before each request to YouTube's hosts, and to them alone: keep a gap to the last one."""
    media, page = Gap(this.options.media_gap_s, this.clock), Gap(PAGE_GAP_S, this.clock)

    def before_request(host: str) -> None:
        if within(host, MEDIA_HOSTS):
            media.keep()
        elif within(host, PACED_HOSTS):
            page.keep()

    return before_request


def _bucket(this: _Run) -> TokenBucket:
    """The run's bucket, as full as the time since the last request of an earlier run has made it."""
    pace, now = this.options.pace_per_hour, this.clock.now()
    last = this.journal.last_at(YOUTUBE)
    return TokenBucket(pace, now, filled=None if last is None else (now - last) * pace / HOUR_S)


def _probe(this: _Run, doer: Doer, bucket: TokenBucket) -> bool:
    """Whether YouTube still answers for the song that was last had from it, or else for its oldest video."""
    bucket.take(this.clock.now())
    last = this.journal.last_had(YOUTUBE)
    good = [target for target in usable(this.songs) if target.key == last]
    return any(doer.answers(target) for target in (*good, target_of(OLDEST, None)))


def egress(options: FetchOptions) -> str:
    """The way out, hashed: a site limits an address and an account, so another proxy or account need not rest."""
    way = f"{options.proxy}\n{options.cookies}\n{options.cookies_from_browser}"
    return hashlib.sha256(way.encode()).hexdigest()[:16]


def _keep(this: _Run, rest: Rest) -> None:
    this.journal.keep_rest(egress(this.options), rest.until, rest.count, rest.site)


def _recalled(this: _Run) -> Rest:
    return Rest(*(this.journal.rest(egress(this.options)) or ()))
