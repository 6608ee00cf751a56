"""The one module that drives yt-dlp: a target in, an outcome out, whatever the server does.

An outcome is either a whole file under its final name or a status with the words that came; nothing is raised for what
sites and servers do. One `Doer` serves one thread: yt-dlp is not made for sharing.
"""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from yt_dlp.utils import YoutubeDLError
from yt_dlp.version import __version__ as YT_DLP  # noqa: N812 - a constant in all but name

from build import storage
from build.fetch import media
from build.fetch.formats import refusal
from build.fetch.options import FetchOptions
from build.fetch.parameters import DIRECT, LOCAL, extractor_for, parameters
from build.fetch.redact import redact
from build.fetch.taxonomy import RefusedError, class_names, classify, disk_failed, readable
from build.fetch.urls import Target
from build.fetch.wire import Errand, GuardedYoutubeDL
from build.files import sha256_of

MESSAGE_LENGTH = 2000  # characters of an error that are kept


@dataclass(frozen=True)
class Outcome:
    """How an attempt ended; `path` and what follows describe the file of a song that is had."""

    status: str
    message: str | None = None
    retry_after_s: float | None = None
    path: Path | None = None
    sha256: str | None = None
    bytes: int | None = None
    format_id: str | None = None
    codec: str | None = None
    rate_hz: int | None = None
    duration_s: float | None = None
    language: str | None = None
    title: str | None = None
    yt_dlp: str = YT_DLP


class _Words:
    """yt-dlp's logger: keeps the warnings of the song in hand, prints nothing."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def debug(self, message: str) -> None:
        """Progress and details are of no use here, and an error comes as an exception too."""

    info = error = debug

    def warning(self, message: str) -> None:
        """Keep the line."""
        self.lines.append(message)


class Doer:
    """Fetches one song at a time into `audio`, by way of its own folder `partial`, which is gone between songs."""

    def __init__(
        self,
        options: FetchOptions,
        audio: Path,
        partial: Path,
        before_request: Callable[[str], None] = lambda host: None,
    ) -> None:
        self._options, self._audio, self._partial = options, audio, partial
        self._before_request = before_request
        self._words = _Words()
        self._tools: dict[str, GuardedYoutubeDL] = {}
        self._errand: Errand | None = None
        self._refused: RefusedError | None = None

    def fetch(self, target: Target, url: str) -> Outcome:
        """Ask for `target` at `url` once."""
        self._words.lines.clear()
        self._errand = errand = Errand(url, self._before_request)
        try:
            self._partial.mkdir(parents=True, exist_ok=True)
            return self._keep(target, self._download(target, url, errand))
        except RefusedError as refused:
            return Outcome(refused.status, redact(str(refused), self._secrets()))
        except Exception as error:  # noqa: BLE001 - an extractor can raise anything, and one song must not end the run
            return self._failure(error, target.site, errand)
        finally:
            shutil.rmtree(self._partial, ignore_errors=True)

    def answers(self, target: Target) -> bool:
        """Whether the page of `target` can be read and its first bytes of sound be had; nothing is kept."""
        self._errand = Errand(target.url, self._before_request)
        tool = self._tool(extractor_for(target, target.url))
        tool.errand = self._errand
        self._partial.mkdir(parents=True, exist_ok=True)
        try:
            info = tool.extract_info(target.url, download=False)
            return bool(tool.dl(str(self._partial / "probe"), info, test=True)[0])
        except (YoutubeDLError, RefusedError):
            return False
        finally:
            shutil.rmtree(self._partial, ignore_errors=True)

    def call_off(self) -> None:
        """Break off the song in hand, from another thread."""
        if self._errand:
            self._errand.call_off()

    def close(self) -> None:
        """Close yt-dlp's connections; cookies that the site renewed go back into the user's file."""
        for tool in self._tools.values():
            with suppress(OSError):  # a cookies file that may not be written stays as it was
                tool.close()

    def _download(self, target: Target, url: str, errand: Errand) -> dict[str, Any]:
        extractor = extractor_for(target, url)
        tool = self._tool(extractor)
        tool.errand = errand
        self._refused = None
        if extractor in (DIRECT, LOCAL):
            info = tool.process_ie_result(_direct(target, url), download=True)
        else:
            info = tool.extract_info(url, download=True)
        if self._refused:
            raise self._refused
        if info.get("_type", "video") != "video":
            raise RefusedError("playlist", "the address leads to a list of videos: give the address of one")
        return {**info, **info["requested_downloads"][0]}

    def _tool(self, extractor: str) -> GuardedYoutubeDL:
        if extractor not in self._tools:
            given = parameters(self._options, extractor, self._partial)
            given |= {"logger": self._words, "progress_hooks": [self._watch], "match_filter": self._filter}
            self._tools[extractor] = GuardedYoutubeDL(given, auto_init=extractor not in (DIRECT, LOCAL))
        return self._tools[extractor]

    def _filter(self, info: dict[str, Any], *, incomplete: object) -> str | None:
        if self._errand and not incomplete and info.get("extractor_key") == "Youtube":
            self._errand.trust(info["url"])
        self._refused = refusal(info, self._options)
        return str(self._refused) if self._refused else None

    def _watch(self, progress: dict[str, Any]) -> None:
        size = max(progress.get("downloaded_bytes") or 0, progress.get("total_bytes") or 0)
        if size > self._options.max_bytes:
            raise RefusedError("too_large", f"{size} bytes; at most {self._options.max_bytes} are taken")

    def _keep(self, target: Target, info: dict[str, Any]) -> Outcome:
        path = Path(info["filepath"])
        found = media.check(path, info.get("duration"))
        if found.duration_s > self._options.max_duration_s:
            raise RefusedError(
                "too_long", f"lasts {found.duration_s:.0f} s; {self._options.max_duration_s:.0f} s are allowed"
            )
        size, sha256 = path.stat().st_size, sha256_of(path)
        with open(path, "rb+") as file:
            os.fsync(file.fileno())
        final = storage.move(path, self._audio / f"{target.song_id}.{sha256[:16]}.{found.suffix}")
        return Outcome(
            "ok",
            path=final,
            sha256=sha256,
            bytes=size,
            format_id=info.get("format_id"),
            codec=found.codec,
            rate_hz=found.rate_hz,
            duration_s=found.duration_s,
            language=info.get("language"),
            title=None if info.get("direct") else info.get("title"),
        )

    def _failure(self, error: Exception, site: str, errand: Errand) -> Outcome:
        if errand.called_off:
            return Outcome("timeout", f"took longer than {self._options.limit_s:g} s in all")
        status = "disk" if disk_failed(error) else classify(str(error), class_names(error), site)
        if status == "unknown":
            status = classify(" ".join(self._words.lines), site=site)
        said = readable(" | ".join([str(error), *self._words.lines]))
        return Outcome(status, redact(said, self._secrets())[:MESSAGE_LENGTH], seconds_until(errand.retry_after))

    def _secrets(self) -> set[str]:
        proxy = urlsplit(self._options.proxy or "")
        jars = [tool.cookiejar for tool in self._tools.values()]
        return {proxy.password or "", *(cookie.value or "" for jar in jars for cookie in jar)}


def _direct(target: Target, url: str) -> dict[str, Any]:
    return {
        "id": target.song_id,
        "title": target.song_id,
        "url": url,
        "ext": "unknown_video",
        "direct": True,
        "extractor": "generic",
        "extractor_key": "Generic",
        "webpage_url": url,
    }


def seconds_until(retry_after: str | None) -> float | None:
    """What a Retry-After header means, in seconds from now (RFC 9110, 10.2.3: a number of them or a date).

    None where it is neither: a server can write anything there.
    """
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
