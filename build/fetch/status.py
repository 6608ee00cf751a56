"""Where the songs of a work folder stand, for people and for programs, and the last word of a run."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from build.fetch.journal import Attempt
from build.fetch.pace import HOUR_S
from build.fetch.states import Standing, standing
from build.fetch.survey import targets
from build.fetch.taxonomy import statuses
from build.fetch.urls import YOUTUBE, Target, UnusableError

REFUSED = Standing("refused")
TO_DO = ("untried", "retry")
WORDS = {
    "gone": "gone",
    "blocked": "blocked here",
    "refused": "refused",
    "failed": "failed",
    "retry": "to retry",
    "untried": "not asked for yet",
}
BETTER_URL = "better url"  # what the advice of a status says where another address would help


@dataclass(frozen=True)
class SongStatus:
    """A song and where it stands."""

    song_id: str
    title: str
    artist: str
    country: str
    site: str
    state: str
    status: str
    next_at: float | None = None


def song_statuses(songs: pa.Table, attempts: dict[str, list[Attempt]]) -> list[SongStatus]:
    """One for each of `songs` (SONGS), from the journal alone: files are not looked at."""
    rows = songs.select(["song_id", "title", "artist", "country"]).to_pylist()
    return [_song_status(row, target, attempts) for row, target in zip(rows, targets(songs), strict=True)]


def _song_status(row: dict[str, Any], target: Target | UnusableError, attempts: dict[str, list[Attempt]]) -> SongStatus:
    if isinstance(target, UnusableError):
        return SongStatus(**row, site="", state="refused", status="bad_url")
    one = standing(attempts.get(target.key, ()))
    return SongStatus(**row, site=target.site, state=one.state, status=one.status, next_at=one.next_at)


def summary(
    songs: Sequence[SongStatus], attempts: Iterable[Attempt], pace_per_hour: float, resting_until: float, now: float
) -> dict[str, Any]:
    """Counts and times as plain values: times are ISO 8601 in UTC, durations seconds, the pace is YouTube's."""
    recent = [attempt for attempt in attempts if attempt.site == YOUTUBE and 0 <= now - attempt.at < HOUR_S]
    to_do = [song for song in songs if song.state in TO_DO]
    paced = sum(song.site == YOUTUBE for song in to_do)
    next_tries = [song.next_at for song in songs if song.next_at is not None]
    return {
        "songs": len(songs),
        "states": _counts(song.state for song in songs),
        "statuses": _counts(song.status for song in songs),
        "countries": _by_country(songs),
        "asked_last_hour": len(recent),
        "pace_per_hour": pace_per_hour,
        "seconds_left": round(paced / pace_per_hour * HOUR_S),
        "next_try_at": _iso(min(next_tries)) if next_tries else None,
        "resting_until": _iso(resting_until) if resting_until > now else None,
        "better_url_would_help": [
            {"song_id": song.song_id, "title": song.title, "artist": song.artist, "status": song.status}
            for song in songs
            if song.state not in ("had", *TO_DO) and BETTER_URL in statuses()[song.status].advice
        ],
    }


def last_word(songs: Sequence[SongStatus], command: str) -> str:
    """How many songs are had, gone, blocked here, to retry, and the exact `command` that goes on if one is needed."""
    counts = Counter(song.state for song in songs)
    said = f"{counts['had']} of {len(songs)} songs are had; " + ", ".join(
        f"{counts[state]} {words}"
        for state, words in WORDS.items()
        if counts[state] or state in ("gone", "blocked", "retry")
    )
    next_at = min((song.next_at for song in songs if song.next_at is not None), default=None)
    if next_at is not None:
        said += f" (next try from {_iso(next_at)})"
    if counts["untried"] or counts["retry"]:
        return f"{said}. To go on: {command}"
    if counts["failed"]:
        return f"{said}. To try the failed ones again: {command} --mode retry-failed"
    return said + "."


def _by_country(songs: Sequence[SongStatus]) -> dict[str, dict[str, int]]:
    states: dict[str, Counter[str]] = {}
    for song in songs:
        states.setdefault(song.country, Counter())[song.state] += 1
    return {country: dict(sorted(states[country].items())) for country in sorted(states)}


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _iso(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
