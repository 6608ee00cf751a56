"""From what a source wrote as a song's address to the one address that is asked for, or a reason not to ask (pure).

Every way to write a YouTube video (watch, youtu.be, shorts, embed, music, with a playlist or a time stamp) leads to one
canonical page. A YouTube id is 11 characters of A-Z a-z 0-9 _ -; nothing else is sent to the site.
"""

import hashlib
import ipaddress
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import SplitResult, parse_qs, quote, urlsplit

from build.fetch.redact import redact

YOUTUBE = "youtube"
YOUTUBE_PAGE = "https://www.youtube.com/watch?v="
PAGE_HOSTS = {"youtube.com", "youtu.be", "youtube-nocookie.com"}
PACED_HOSTS = PAGE_HOSTS | {"googlevideo.com", "youtubei.googleapis.com", "ytimg.com"}
MEDIA_HOSTS = {"googlevideo.com"}

_SONG_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_VIDEO_ID = re.compile(r"([A-Za-z0-9_-]{11})(?![A-Za-z0-9_-])")
_PATH_ID = re.compile(r"/(?:shorts|embed|v|live|e)/([^/]*)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class UnusableError(ValueError):
    """An address that is refused before any request; the message says what was there and what is allowed."""


@dataclass(frozen=True)
class Target:
    """Where a song is asked for. `site` is `youtube`, a host, or empty for a file of the source folder, whose path
    there is then the `url`; `key` is the song's name in the journal.
    """

    song_id: str
    url: str
    site: str
    key: str


def target_of(song_id: str, written: str | None) -> Target:
    """The target of a song whose source wrote `written` as its url (None: the song's id is its YouTube page).

    >>> target_of("dQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcQ?t=3").url
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ'

    Raises UnusableError.
    """
    if not _SONG_ID.fullmatch(song_id):
        raise UnusableError(f"song id {song_id!r}: allowed are 1 to 64 of A-Z a-z 0-9 _ -")
    key = identity(song_id, written)
    if written is None:
        return Target(song_id, YOUTUBE_PAGE + _video_id(song_id), YOUTUBE, key)
    if within(written.lower().split("/")[0], PAGE_HOSTS):
        written = "https://" + written
    if written.startswith("//") or _SCHEME.match(written):
        return _absolute(song_id, written, key)
    return Target(song_id, _inside(written), "", key)


def address(target: Target, folder_url: str) -> str:
    """The URL to ask for; `folder_url` is where the files of the source folder are served."""
    return target.url if target.site else folder_url + quote(target.url)


def identity(song_id: str, written: str | None) -> str:
    """The journal's name of a song at an address: both hashed, since an address may hold a password or token."""
    return hashlib.sha256(f"{song_id}\n{written or ''}".encode()).hexdigest()[:32]


def within(host: str, domains: set[str]) -> bool:
    """Whether `host` is one of `domains` or below one."""
    return any(host == domain or host.endswith("." + domain) for domain in domains)


def private_literal(host: str) -> bool:
    """Whether `host` is written as an address that is not of the public internet, or as this machine's name."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not ipaddress.ip_address(host.split("%")[0]).is_global
    except ValueError:
        return False


def _shown(written: str) -> str:
    return repr(redact(written))


def _absolute(song_id: str, written: str, key: str) -> Target:
    if re.search(r"[\x00-\x20\x7f]", written):
        raise UnusableError(f"url {_shown(written)}: it holds spaces or control characters")
    try:
        parts = urlsplit(written)
        host, _port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError as error:
        raise UnusableError(f"url {_shown(written)}: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UnusableError(
            f"url {_shown(written)}: allowed are http:// and https:// addresses and paths below the source folder"
        )
    if within(host, PAGE_HOSTS):
        return Target(song_id, YOUTUBE_PAGE + _video_id(_written_id(parts, host)), YOUTUBE, key)
    return Target(song_id, written, host, key)


def _written_id(parts: SplitResult, host: str) -> str:
    if within(host, {"youtu.be"}):
        return parts.path.lstrip("/")
    if found := _PATH_ID.match(parts.path):
        return found[1]
    if parts.path.rstrip("/") == "/playlist":
        raise UnusableError("the url is a playlist: give the url of one video")
    return parse_qs(parts.query).get("v", [""])[0]


def _video_id(text: str) -> str:
    if found := _VIDEO_ID.match(text):
        return found[1]
    raise UnusableError(f"{text!r} is no YouTube id: those are 11 of A-Z a-z 0-9 _ -")


def _inside(written: str) -> str:
    path = PurePosixPath(written)
    if path.is_absolute() or ".." in path.parts or not path.parts or re.search(r"[\x00-\x1f\x7f\\]", written):
        raise UnusableError(f"url {_shown(written)}: a path must stay below the source folder")
    return str(path)
