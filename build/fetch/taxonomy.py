"""Which status an error means, and what each status calls for: two tables in metadata/ and their readers.

`metadata/fetch_errors.csv` is asked from the top and its first match wins, so the specific stands above the general:
a rate limit reads "Video unavailable. This content isn't available, try again later" and is no dead video.
`metadata/fetch_statuses.csv` is the closed list of statuses that a published row can have, with the policy for each.
"""

import csv
import errno
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from build.workspace import METADATA

POLICIES = ("done", "none", "permanent", "retry", "pause", "stop")
STATES = ("had", "gone", "blocked", "refused", "failed", "retry", "untried")

DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_REPORT_THIS = re.compile(r";?\s*please report this issue on\b.*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Status:
    """A row of `metadata/fetch_statuses.csv`.

    `attempts` is how often a song is asked for in all, `wait_s` the first wait between two (doubled each time) or, for
    the policy `pause`, how long the whole run rests. `state` is where the song ends once its attempts are used up;
    `advice` is what its user can do.
    """

    name: str
    policy: str
    attempts: int
    wait_s: float
    state: str
    meaning: str
    advice: str

    @property
    def about_song(self) -> bool:
        """Whether this says something about the song, and so uses up an attempt."""
        return self.policy not in ("pause", "stop", "none")


class RefusedError(Exception):
    """What came, or is offered, is not the song; `status` says why and the text what was found."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


@functools.cache
def statuses() -> dict[str, Status]:
    """The closed list, by name."""
    with open(METADATA / "fetch_statuses.csv", encoding="utf-8", newline="") as file:
        return {
            row["status"]: Status(
                row["status"],
                row["policy"],
                int(row["attempts"] or 0),
                float(row["wait_s"] or 0),
                row["state"],
                row["meaning"],
                row["advice"],
            )
            for row in csv.DictReader(file)
        }


@functools.cache
def _rules() -> tuple[tuple[str, str, str, str], ...]:
    with open(METADATA / "fetch_errors.csv", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return tuple((row["status"], row["site"], row["exception"], row["pattern"]) for row in rows)


def classify(text: str, exceptions: frozenset[str] = frozenset(), site: str = "youtube") -> str:
    """The status that an error of `site` means, by its `text` and the class names in its chain of `exceptions`.

    What YouTube says means something from YouTube only: no other server can stop the run by saying it. `unknown` where
    no rule matches.

    >>> classify("ERROR: [youtube] dQw4w9WgXcQ: Video unavailable. This content isn’t available, try again later.")
    'rate_limit'
    """
    plain = comparable(text)
    for status, of, exception, pattern in _rules():
        if of in ("", site) and (not exception or exception in exceptions) and pattern in plain:
            return status
    return "unknown"


def readable(text: str) -> str:
    """An error's text in one line and word for word, without colour codes and the request to report it."""
    return " ".join(_REPORT_THIS.sub("", _ANSI.sub("", text)).split())


def comparable(text: str) -> str:
    """The form in which texts and patterns are compared: readable, case-folded, all apostrophes straight."""
    return readable(text).replace("’", "'").casefold()


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and everything that caused it, yt-dlp's own links (`exc_info`, `cause`) included."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        link = waiting.pop(0)
        if not isinstance(link, BaseException) or id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        exc_info = getattr(link, "exc_info", None) or (None, None)
        waiting += [exc_info[1], getattr(link, "cause", None), link.__cause__, link.__context__]
        waiting += [arg for arg in link.args if isinstance(arg, BaseException)]


def disk_failed(error: BaseException) -> bool:
    """Whether it is this machine's disk that is full, over quota or write-protected."""
    return any(
        isinstance(link, OSError)
        and (link.errno in DISK_ERRORS or (isinstance(link, PermissionError) and link.filename is not None))
        for link in chain(error)
    )


def class_names(error: BaseException) -> frozenset[str]:
    """The names of the classes in an error's chain, and of the classes that those derive from."""
    return frozenset(kind.__name__ for link in chain(error) for kind in type(link).__mro__)
