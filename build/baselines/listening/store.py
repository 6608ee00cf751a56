"""Answers kept in SQLite, so that no question is paid for twice and a run goes on where it stopped."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

OK, REFUSED, UNREADABLE = "ok", "refused", "unreadable"

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY,
    listener TEXT NOT NULL,
    song_id TEXT NOT NULL,
    target TEXT NOT NULL,
    status TEXT NOT NULL,
    rating REAL,
    text TEXT NOT NULL,
    tries INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    answer_tokens INTEGER NOT NULL
)
"""


class Answer(NamedTuple):
    """What became of a question: `rating` is None unless `status` is ok; tokens of all `tries` together."""

    song_id: str
    target: str
    status: str
    rating: float | None
    text: str
    tries: int
    prompt_tokens: int
    answer_tokens: int


class Store:
    """The answers of a file; may be used from several threads."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection, self._lock = connection, threading.Lock()

    def find(self, key: str) -> Answer | None:
        """The answer to a question, if there is one."""
        with self._lock:
            row = self._connection.execute(
                "SELECT song_id, target, status, rating, text, tries, prompt_tokens, answer_tokens "
                "FROM answers WHERE key = ?",
                (key,),
            ).fetchone()
        return Answer(*row) if row else None

    def keep(self, key: str, listener: str, answer: Answer) -> None:
        """Keep an answer, at once and for good."""
        with self._lock, self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (key, listener, *answer)
            )


@contextmanager
def open_store(path: Path) -> Iterator[Store]:
    """The store in a file, made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(_TABLE)
        yield Store(connection)
    finally:
        connection.close()
