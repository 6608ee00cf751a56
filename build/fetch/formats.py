"""Which of a video's formats is the recording itself, and which videos are none (pure, over yt-dlp's dictionaries)."""

from collections.abc import Iterator, Mapping
from typing import Any

from build.fetch.options import FetchOptions
from build.fetch.taxonomy import RefusedError

FORMAT_SORT = ("lang", "acodec:opus", "abr")
LIVE = ("is_live", "is_upcoming", "post_live")
UNMARKED = -1.0
Info = Mapping[str, Any]


def refusal(info: Info, options: FetchOptions) -> RefusedError | None:
    """Why a video must not be fetched, from what the site says of it, or None."""
    duration_s = info.get("duration")
    if info.get("live_status") == "is_upcoming":
        return RefusedError("upcoming", "not published yet")
    if info.get("is_live") or info.get("live_status") in LIVE:
        return RefusedError("live", "a live stream")
    if duration_s and duration_s < options.min_duration_s:
        return RefusedError("too_short", f"lasts {duration_s:g} s; at least {options.min_duration_s:g} s are needed")
    if duration_s and duration_s > options.max_duration_s:
        return RefusedError("too_long", f"lasts {duration_s:g} s; at most {options.max_duration_s:g} s are taken")
    return None


def original_audio(context: Mapping[str, Any]) -> Iterator[Info]:
    """yt-dlp's format selector: the best format with the original sound, without pictures where there is such a one.

    `context["formats"]` comes sorted by yt-dlp, the best last. Raises RefusedError where no sound is the original.
    """
    sounding = [one for one in context["formats"] if one.get("acodec") != "none" and one.get("ext") != "mhtml"]
    best = max((_language(one) for one in sounding), default=UNMARKED)
    kept = [one for one in sounding if not _compressed(one) and _language(one) >= max(best, UNMARKED)]
    if sounding and not kept:
        names = ", ".join(str(one.get("format_id")) for one in sounding)
        raise RefusedError("altered", f"only dubbed, described or loudness-compressed sound: {names}")
    for pool in ([one for one in kept if one.get("vcodec") == "none"], kept):
        if pool:
            yield pool[-1]
            return


def _language(one: Info) -> float:
    """yt-dlp's mark: 10 the original track, 5 the default one, -1 any other or an only one, -10 a described one."""
    return one.get("language_preference") or UNMARKED


def _compressed(one: Info) -> bool:
    return "drc" in (one.get("format_id") or "").split("-")
