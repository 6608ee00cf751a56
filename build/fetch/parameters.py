"""How yt-dlp is told what to do: its parameters, and the one extractor that may read an address."""

import optparse
import re
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import yt_dlp
from yt_dlp.cookies import YoutubeDLCookieJar
from yt_dlp.extractor import gen_extractor_classes
from yt_dlp.utils import MEDIA_EXTENSIONS

from build.errors import InputError
from build.fetch.formats import FORMAT_SORT, original_audio
from build.fetch.options import FetchOptions
from build.fetch.urls import YOUTUBE, Target, private_literal

DIRECT = "direct"  # a media file at the very address: no page to be read, no extractor needed
LOCAL = "local"  # the same on this machine or in its private network, where no proxy leads
BLOCK_BYTES = 1 << 16
PLUGGED = r"(\+.*)?"  # an extractor may be changed by a plugin, which then adds its name
JS_RUNTIMES = ("deno", "node", "quickjs", "bun")


def extractor_for(target: Target, url: str) -> str:
    """The name of the one extractor that may read `url`, or DIRECT or LOCAL for a media file's own address."""
    if target.site == YOUTUBE:
        return YOUTUBE
    if not target.site or private_literal(target.site):
        return LOCAL
    if Path(urlsplit(url).path).suffix[1:].lower() in MEDIA_EXTENSIONS.audio:
        return DIRECT
    names = (one.IE_NAME for one in gen_extractor_classes() if one.suitable(url))
    return next((name for name in names if name != "generic"), DIRECT)


def parameters(options: FetchOptions, extractor: str, folder: Path) -> dict[str, Any]:
    """yt-dlp's parameters: one try (`taxonomy` decides about more), native container, whole track, no playlists."""
    given: dict[str, Any] = {
        "allowed_extractors": [re.escape(extractor.lower()) + PLUGGED],
        "paths": {"home": str(folder)},
        "outtmpl": "%(id)s.%(ext)s",
        "format": original_audio,
        "format_sort": list(FORMAT_SORT),
        "noplaylist": True,
        "extract_flat": "in_playlist",
        "retries": 0,
        "extractor_retries": 1,
        "fragment_retries": 2,
        "skip_unavailable_fragments": False,
        "socket_timeout": options.stall_s,
        "continuedl": False,
        "updatetime": False,
        "fixup": "never",
        "buffersize": BLOCK_BYTES,
        "geo_bypass": False,
        "cachedir": False,
        "js_runtimes": {name: {} for name in JS_RUNTIMES},
        "quiet": True,
        "noprogress": True,
        "color": "never",
        "proxy": "" if extractor == LOCAL else options.proxy,
    }
    if extractor not in (DIRECT, LOCAL):
        given["cookiefile"] = str(options.cookies) if options.cookies else None
        given["cookiesfrombrowser"] = browser_of(options.cookies_from_browser)
    if options.player_client:
        given["extractor_args"] = {"youtube": {"player_client": list(options.player_client)}}
    return given


@cache
def browser_of(text: str | None) -> tuple[str | None, ...] | None:
    """`BROWSER[+KEYRING][:PROFILE][::CONTAINER]` as yt-dlp's own command line reads it. Raises InputError."""
    if text is None:
        return None
    try:
        given = yt_dlp.parse_options(["--cookies-from-browser", text]).ydl_opts
    except optparse.OptParseError as error:
        raise InputError(f"--cookies-from-browser {text}: {str(error).strip().splitlines()[-1]}") from error
    return cast(tuple[str | None, ...], given["cookiesfrombrowser"])


def check_cookies(options: FetchOptions) -> None:
    """Raise InputError for cookies that yt-dlp cannot read, without a word of what they are."""
    browser_of(options.cookies_from_browser)
    if options.cookies is None:
        return
    try:
        YoutubeDLCookieJar(str(options.cookies)).load()
    except (OSError, UnicodeDecodeError):  # LoadError of http.cookiejar is an OSError, and quotes the line
        raise InputError(f"--cookies {options.cookies}: no cookies file in Netscape format; export it anew") from None
