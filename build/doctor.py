"""What this machine has of what is needed, and of what is only better to have."""

import datetime as dt
import importlib.util
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq

from build.fetch import FetchOptions
from build.fetch.preflight import FAILURE, GOOD, WARNING, Finding, hosts, javascript, needed_bytes, room, yt_dlp_age
from build.fetch.survey import usable
from build.fetch.urls import Target
from build.report.fonts import fonts_for

BUILD_BYTES = 12_000_000_000  # for the whole dataset: 1,180 tracks of about 6 MB, their excerpts, and the built folder
SCRIPTS = "aé한ع"  # a character of each script that the languages' terms are written in


def examine(work: Path) -> list[Finding]:
    """A finding for each thing; `work` is the folder that holds the caches, and the list of songs if there is one."""
    asked = _listed(work)
    disk = next(folder for folder in (work, *work.resolve().parents) if folder.is_dir())
    need = needed_bytes(asked, None) if asked else BUILD_BYTES
    return [
        yt_dlp_age(dt.date.today()),
        javascript(),
        room(disk, need) if asked else as_warning(room(disk, need)),
        *hosts(asked, FetchOptions()),
        torchcodec(),
        ffmpeg(),
        fonts(),
    ]


def as_warning(finding: Finding) -> Finding:
    """The finding, no worse than a warning: nothing was planned yet that it could stop."""
    return replace(finding, level=WARNING) if finding.level == FAILURE else finding


def _listed(work: Path) -> list[Target]:
    path = work / "tables" / "songs.parquet"
    return usable(pq.read_table(path)) if path.is_file() else []


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
