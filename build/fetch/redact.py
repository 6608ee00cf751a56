"""Nothing that opens a door may reach a log, the journal or an error: cookies, tokens, passwords (pure)."""

import re
from collections.abc import Iterable

HIDDEN = "***"
MIN_SECRET = 6  # shorter cookie values ("1", "en") would blot out ordinary words

_USERINFO = re.compile(r"(?<=://)[^/\s@'\"]+@")
_QUERY = re.compile(r"(https?://[^\s?#'\"<>]+)\?[^\s'\"<>]*")
_VIDEO = re.compile(r"[?&](v=[A-Za-z0-9_-]{11})(?=$|[&#\s'\"<>])")
_HEADER = re.compile(
    r"\b((?:set-)?cookie|(?:proxy-)?authorization|x-goog-[a-z-]+)(['\"]?\s*[:=]\s*['\"]?)[^\n'\"]+", re.I
)
_TOKEN = re.compile(
    r"\b((?:\w*(?:token|secret|passw(?:or)?d|api_?key|signature|session)\w*|sig|pot|sid))(=|:\s?)[^\s&;,'\"<>]+", re.I
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without `secrets`, user names and passwords of addresses, their queries, and what follows a telling name.

    >>> redact("GET https://me:pw@host/a?sig=1 failed")
    'GET https://***@host/a?*** failed'
    """
    for secret in sorted((secret for secret in secrets if len(secret) >= MIN_SECRET), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _USERINFO.sub(HIDDEN + "@", text)
    text = _QUERY.sub(_short_query, text)
    text = _HEADER.sub(rf"\1\2{HIDDEN}", text)
    return _TOKEN.sub(rf"\1\2{HIDDEN}", text)


def _short_query(found: re.Match[str]) -> str:
    video = _VIDEO.search(found[0])
    return f"{found[1]}?{video[1] if video else HIDDEN}"
