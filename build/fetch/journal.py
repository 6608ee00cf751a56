"""The journal: one SQLite row for every answered attempt to fetch a song. It outlives `kill -9` at any point.

A row is written after its file has its final name and is on disk, in one transaction; so a kill loses at most the
attempts in flight, and no row ever points at half a file. Rows are added, never changed, with one exception: `void`
takes back that attempts count, when they turn out to say nothing about their songs.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from itertools import groupby
from pathlib import Path

from build.errors import RunError

VERSION = 1


@dataclass(frozen=True)
class Attempt:
    """A row. `at` is seconds since 1970 UTC when the answer was complete, `key` the song and address (`urls.identity`);
    `path` is a name in the workspace's folder `audio`; `counts` is 0 where the answer says nothing about the song.
    """

    key: str
    song_id: str
    at: float
    status: str
    counts: int = 1
    message: str | None = None
    seconds: float | None = None
    site: str | None = None
    bytes: int | None = None
    format_id: str | None = None
    codec: str | None = None
    rate_hz: int | None = None
    duration_s: float | None = None
    language: str | None = None
    title: str | None = None
    yt_dlp: str | None = None
    path: str | None = None
    sha256: str | None = None


_NAMES = [field.name for field in fields(Attempt)]
_CREATE = f"""
CREATE TABLE IF NOT EXISTS attempts (id INTEGER PRIMARY KEY, {", ".join(_NAMES)});
CREATE INDEX IF NOT EXISTS attempts_key ON attempts (key);
CREATE TABLE IF NOT EXISTS rests (egress TEXT PRIMARY KEY, until, count, site);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
PRAGMA user_version = {VERSION};
"""
_INSERT = f"INSERT INTO attempts ({', '.join(_NAMES)}) VALUES ({', '.join('?' * len(_NAMES))})"  # noqa: S608 - own names
_SELECT = f"SELECT {', '.join(_NAMES)} FROM attempts ORDER BY key, id"  # noqa: S608 - own names


class Journal:
    """The journal at `path`, made if it is not there. Raises RunError for a file that is no journal of this version."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._in_words():
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._check_version()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise RunError(
                f"{self._path} cannot be read or written ({error}): make room, or look who owns it"
            ) from error
        except sqlite3.DatabaseError as error:
            raise RunError(f"{self._path} is no fetch journal ({error}): move it away to start anew") from error

    def _check_version(self) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            self._connection.executescript(f"BEGIN;{_CREATE}COMMIT;")
        elif version != VERSION:
            raise RunError(f"{self._path} is of version {version}, this program writes {VERSION}: move it away")

    def _execute(self, query: str, *values: object) -> sqlite3.Cursor:
        with self._in_words():
            return self._connection.execute(query, values)

    def add(self, attempt: Attempt) -> int:
        """Write an attempt and return its number; it is on disk when this returns."""
        return int(self._execute(_INSERT, *astuple(attempt)).lastrowid or 0)

    def void(self, numbers: Iterable[int]) -> None:
        """Take back that the attempts of these numbers count."""
        for number in numbers:
            self._execute("UPDATE attempts SET counts = 0 WHERE id = ?", number)

    def attempts(self) -> dict[str, list[Attempt]]:
        """All attempts in their order, by key."""
        return dict(self.histories())

    def histories(self) -> Iterator[tuple[str, list[Attempt]]]:
        """Every key with its attempts in their order, one after the other: those of a large list need much room."""
        rows = (Attempt(*row) for row in self._execute(_SELECT))
        for key, tried in groupby(rows, key=lambda attempt: attempt.key):
            yield key, list(tried)

    def last_at(self, site: str) -> float | None:
        """When `site` was last asked."""
        row = self._execute("SELECT max(at) FROM attempts WHERE site = ?", site).fetchone()
        return None if row[0] is None else float(row[0])

    def last_had(self, site: str) -> str | None:
        """The key of the song that was last had from `site`."""
        query = "SELECT key FROM attempts WHERE site = ? AND status = 'ok' ORDER BY id DESC LIMIT 1"
        row = self._execute(query, site).fetchone()
        return None if row is None else str(row[0])

    def rest(self, egress: str) -> tuple[float, int, str] | None:
        """Until when a run must rest that goes out by `egress`, after how many rests, and for which site."""
        row = self._execute("SELECT until, count, site FROM rests WHERE egress = ?", egress).fetchone()
        return None if row is None else (float(row[0]), int(row[1]), str(row[2]))

    def keep_rest(self, egress: str, until: float, count: int, site: str) -> None:
        """Let the next run know of a rest, so that stopping and starting does not cut it short."""
        self._execute("INSERT OR REPLACE INTO rests VALUES (?, ?, ?, ?)", egress, until, count, site)

    def resting_until(self) -> float:
        """When the last of all rests ends; 0 without one."""
        return float(self._execute("SELECT coalesce(max(until), 0) FROM rests").fetchone()[0])

    def remember(self, name: str, value: str) -> None:
        """Keep a fact about the work folder, such as where its source's files are."""
        self._execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, value)

    def recall(self, name: str) -> str | None:
        """A fact that `remember` has kept."""
        row = self._execute("SELECT value FROM facts WHERE name = ?", name).fetchone()
        return None if row is None else str(row[0])

    def close(self) -> None:
        """Close the file; SQLite then folds its write-ahead log into it."""
        self._connection.close()
