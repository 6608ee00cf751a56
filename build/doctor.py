"""What this machine has of what is needed, and of what is only better to have."""

import datetime as dt
import importlib.util
import shutil
from pathlib import Path

from build.fetch.preflight import GOOD, WARNING, Finding, javascript, room, yt_dlp_age
from build.report.fonts import fonts_for

BUILD_BYTES = 12_000_000_000  # 1,180 tracks of about 6 MB, their excerpts, and the built folder
SCRIPTS = "aé한ع"  # a character of each script that the languages' terms are written in


def examine(work: Path) -> list[Finding]:
    """A finding for each thing; `work` is the folder that will hold the caches."""
    work.mkdir(parents=True, exist_ok=True)
    return [yt_dlp_age(dt.date.today()), javascript(), room(work, BUILD_BYTES), torchcodec(), ffmpeg(), fonts()]


def torchcodec() -> Finding:
    """Whether `datasets` can decode audio by itself."""
    if importlib.util.find_spec("torchcodec"):
        return Finding("torchcodec", GOOD, "installed")
    fix = "only for Audio(decode=True): pip install torch torchcodec"
    return Finding("torchcodec", WARNING, "not installed: rows are read with Audio(decode=False)", fix)


def ffmpeg() -> Finding:
    """Whether torchcodec finds FFmpeg's libraries; this package brings its own with PyAV."""
    if shutil.which("ffmpeg"):
        return Finding("ffmpeg", GOOD, "on the path")
    return Finding("ffmpeg", WARNING, "not on the path", "only torchcodec needs it: your system's ffmpeg package")


def fonts() -> Finding:
    """Whether figures can show the terms in their own scripts."""
    advice = fonts_for([SCRIPTS]).advice()
    return Finding("fonts", WARNING, advice) if advice else Finding("fonts", GOOD, "all scripts of the terms")
