"""What is looked at before the first request: is yt-dlp new enough, is there a JavaScript runtime, room, an answer?

Each look gives a finding with what was found and what to do. Only what makes a run pointless is a failure; the rest is
said and the run begins.
"""

import datetime as dt
import importlib.util
import shutil
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from yt_dlp.globals import supported_js_runtimes
from yt_dlp.networking.common import HEADRequest
from yt_dlp.networking.exceptions import HTTPError
from yt_dlp.version import __version__ as YT_DLP  # noqa: N812 - a constant in all but name

from build.fetch.options import FetchOptions
from build.fetch.redact import redact
from build.fetch.urls import YOUTUBE, Target, private_literal
from build.fetch.wire import Errand, GuardedYoutubeDL

OLD_DAYS = 90  # after which yt-dlp itself warns: the site has usually changed by then
SONG_BYTES = 6_000_000  # a track of four minutes at 160 kbit/s, and some
ANSWER_S = 10.0  # within which a host must answer
MOST_HOSTS = 8  # asked for an answer: enough to tell a dead network from a dead host
YOUTUBE_URL = "http://www.youtube.com/"  # which sends on to https, so that both are seen to work

GOOD, WARNING, FAILURE = "ok", "warning", "failure"


@dataclass(frozen=True)
class Finding:
    """`level` is ok, warning or failure; `fix` says what to do about the latter two."""

    name: str
    level: str
    found: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.found}" + (f" ({self.fix})" if self.fix else "")


def findings(targets: Sequence[Target], options: FetchOptions, folder: Path, source_root: Path | None) -> list[Finding]:
    """All that matters for fetching `targets` into `folder`: what only other hosts or YouTube need, only for these."""
    found = [room(folder, needed_bytes(targets, source_root))]
    if any(target.site for target in targets):
        found.append(yt_dlp_age(dt.date.today()))
    if any(target.site == YOUTUBE for target in targets):
        found.append(javascript())
    return found + hosts(targets, options)


def yt_dlp_age(today: dt.date, version: str = YT_DLP) -> Finding:
    """How old yt-dlp is; its version is its date, such as 2026.10.26."""
    year, month, day = (int(part) for part in version.split(".")[:3])
    days = (today - dt.date(year, month, day)).days
    if days <= OLD_DAYS:
        return Finding("yt-dlp", GOOD, f"{version}, {max(days, 0)} days old")
    return Finding("yt-dlp", WARNING, f"{version} is {days} days old", 'pip install -U "yt-dlp[default]"')


def javascript() -> Finding:
    """Which JavaScript runtime yt-dlp can solve YouTube's challenges with."""
    found, usable = [], []
    for kind in supported_js_runtimes.value.values():
        if info := kind().info:
            found.append(f"{info.name} {info.version}" + ("" if info.supported else " (too old)"))
            usable.append(info.supported)
    if not any(usable):
        fix = 'pip install "yt-dlp[default,deno]", or node >= 22'
        return Finding("JavaScript runtime", WARNING, ", ".join(found) or "none", fix)
    if importlib.util.find_spec("yt_dlp_ejs") is None:
        return Finding("JavaScript runtime", WARNING, "yt-dlp-ejs is missing", 'pip install -U "yt-dlp[default]"')
    return Finding("JavaScript runtime", GOOD, ", ".join(found))


def room(folder: Path, needed_bytes: int) -> Finding:
    """Whether `needed_bytes` fit on the disk of `folder`."""
    free = shutil.disk_usage(folder).free
    said = f"{free / 1e9:.1f} GB free in {folder}, about {needed_bytes / 1e9:.1f} GB needed"
    if free >= needed_bytes:
        return Finding("disk", GOOD, said)
    return Finding("disk", FAILURE, said, "make room, or give another --work")


def needed_bytes(targets: Iterable[Target], source_root: Path | None) -> int:
    """About how much the tracks of `targets` take."""
    return sum(_size(target, source_root) for target in targets)


def hosts(targets: Sequence[Target], options: FetchOptions) -> list[Finding]:
    """Whether the hosts of `targets` answer: all that are asked, at the same time, within ANSWER_S.

    A failure only where none does: then it is this machine that has no network. Files of the source folder and
    addresses in a private network need no answer from outside.
    """
    urls = _front_doors(targets)
    if not urls:
        return []
    said = answers(urls, options)
    level = FAILURE if all(said.values()) else WARNING
    fix = "check the network, and --proxy if there is one"
    return [
        Finding(url, level, f"no answer: {error}", fix) if error else Finding(url, GOOD, "answers")
        for url, error in said.items()
    ]


def answers(urls: Sequence[str], options: FetchOptions) -> dict[str, str]:
    """For each URL the empty string if its host answers anything at all, else why not."""
    waiting: dict[str, Future[str]] = {url: Future() for url in urls}
    for url, answer in waiting.items():
        # A silent name server cannot be called off: such a thread must not keep the process from ending.
        threading.Thread(target=_ask, args=(url, options, answer), daemon=True).start()
    deadline = time.monotonic() + ANSWER_S
    return {url: _within(answer, deadline) for url, answer in waiting.items()}


def _within(answer: Future[str], deadline: float) -> str:
    try:
        return answer.result(timeout=max(0.0, deadline - time.monotonic()))
    except TimeoutError:
        return f"none within {ANSWER_S:g} s"


def _ask(url: str, options: FetchOptions, answer: Future[str]) -> None:
    given = {"quiet": True, "proxy": options.proxy, "socket_timeout": ANSWER_S / 2}
    with GuardedYoutubeDL(given, auto_init=False) as tool:
        tool.errand = Errand(url, lambda host: None)
        try:
            tool.urlopen(HEADRequest(url)).close()
        except HTTPError:
            answer.set_result("")  # a refusal is an answer
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in this thread is its answer
            answer.set_result(redact(str(error)))
        else:
            answer.set_result("")


def _front_doors(targets: Sequence[Target]) -> list[str]:
    doors = {YOUTUBE_URL: None} if any(target.site == YOUTUBE for target in targets) else {}
    for target in targets:
        if target.site not in ("", YOUTUBE) and not private_literal(target.site):
            parts = urlsplit(target.url)
            doors[f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/"] = None
    return list(doors)[:MOST_HOSTS]


def _size(target: Target, source_root: Path | None) -> int:
    if target.site or source_root is None:
        return SONG_BYTES
    path = source_root / target.url
    return path.stat().st_size if path.is_file() else 0
