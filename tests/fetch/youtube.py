"""A stand-in for YouTube: an extractor in the real one's place in yt-dlp's own registry, and a proxy for its media.

Everything else is real: yt-dlp, its downloader, the guard on its connections, the pace.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.globals import extractors
from yt_dlp.utils import ExtractorError

MEDIA = "http://rr1.googlevideo.com/whole/"
LIMIT = "Video unavailable. This content isn’t available, try again later."
Script = Callable[[str], dict[str, Any] | None]


class YoutubeIE(InfoExtractor):
    """Asks `script(video id)`: it may raise, or return what to change in the information of a good video."""

    IE_NAME = "youtube"
    _VALID_URL = r"https://www\.youtube\.com/watch\?v=(?P<id>[0-9A-Za-z_-]{11})$"
    script: ClassVar[Script]

    def _real_extract(self, url: str) -> dict[str, Any]:
        video_id = self._match_id(url)
        changes = type(self).script(video_id)
        formats = [{"format_id": "251", "url": MEDIA + video_id, "ext": "webm", "acodec": "opus", "vcodec": "none"}]
        return {"id": video_id, "title": f"Song {video_id}", "formats": formats, **(changes or {})}


def stand_in(monkeypatch: pytest.MonkeyPatch, script: Script) -> None:
    """Put the stand-in in YouTube's place for this test."""
    monkeypatch.setitem(
        extractors.value, "YoutubeIE", type("YoutubeIE", (YoutubeIE,), {"script": staticmethod(script)})
    )


def says(message: str) -> ExtractorError:
    """The error by which yt-dlp passes on what the site says."""
    return ExtractorError(message, expected=True)


def video_id(number: int) -> str:
    """An id as YouTube's are."""
    return f"video{number:06d}"
