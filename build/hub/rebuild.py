"""A build whose songs, windows, terms and ratings are those of a published dataset: only the audio is had anew."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from build import made
from build.audio import ClipOptions
from build.dataset.swap import MARK
from build.dataset.write import Tables
from build.errors import InputError
from build.fetch.urls import UnusableError, target_of
from build.files import sha256_of
from build.hub.published import is_published, open_published, read_tables
from build.hub.replay import compare, lines
from build.options import BuildOptions
from build.pipeline import Build, Say
from build.sources import folder
from build.sources.columns import pick
from build.sources.origin import Source, open_source
from build.sources.textfile import read_csv
from build.tables import DROPPED, SONGS
from build.workspace import Workspace

REPORT = "replay"  # table in the workspace: how the payloads compare with the recorded ones
RECORDED = {  # options of a build that a published dataset brings along -> how they are given
    "clip": "--loudness, --policy and --codec",
    "seed": "--seed",
    "charts": "--from-charts",
    "exclude_raters": "--exclude-raters",
}


def open_build(options: BuildOptions, workspace: Workspace, say: Say) -> Build:
    """The build that `options.source` asks for.

    Raises InputError where an option does not go with the source, and what `open_published` raises.
    """
    if is_published(options.source):
        return Rebuild(options, workspace, say)
    if options.urls:
        raise InputError(f"--urls {options.urls}: goes with a published dataset as --source; a song list has its own")
    return Build(options, workspace, say)


@dataclass(frozen=True)
class Addresses(Source):
    """The folder that relative urls are files of, the list of the urls, which is all that is read of it, and the
    manifest of the published dataset.
    """

    listed: Path | None
    manifest: Path

    def inputs(self) -> dict[str, str]:
        """Name -> SHA-256 of the manifest and the list."""
        return {path.name: sha256_of(path) for path in (self.manifest, self.listed) if path}


class Rebuild(Build):
    """See `Build`. Excerpts are cut by the published windows and options; REPORT says which came out the same."""

    def __init__(self, options: BuildOptions, workspace: Workspace, say: Say) -> None:
        _check(replace(options, clip=replace(options.clip, seed=0)))
        self.published = open_published(options.source)
        recorded = self.published.manifest["options"]
        known = {field.name for field in fields(ClipOptions)} & set(recorded)
        clip = ClipOptions(**{name: recorded[name] for name in known})
        super().__init__(replace(options, seed=recorded["seed"], clip=clip), workspace, say)

    @cached_property
    def source(self) -> Addresses:
        """The folder that relative urls are files of: of the list of urls, or of the sample, which is made again."""
        name, urls = self.published.manifest["source"], self.options.urls
        manifest = self.published.root / MARK
        if urls is None and name == "sample":
            urls = open_source(name, self.workspace, self.options.seed, self.options.workers).root
        if urls is None:
            return Addresses(name, self.published.root, None, manifest)
        if urls.is_dir():
            return Addresses(name, urls, folder.find_songs(urls), manifest)
        return Addresses(name, urls.parent, urls, manifest)

    def songs(self) -> None:
        """Take over songs and splits, and find out where the songs are."""
        urls = str(self.options.urls.resolve()) if self.options.urls else None
        with self._noting("songs", limit=self.options.limit, urls=urls, **self._reads()):
            songs = _located(self._tables.songs, self._urls()).slice(0, self.options.limit)
            self._write("songs", songs)
            self._write("splits", _about(songs, self._tables.splits))
            self._write("chart_counts", pa.table({}))
        self.say(f"songs: {songs.num_rows} of {self.options.source}")
        lost = [song["song_id"] for song in songs.to_pylist() if self.options.audio and not _has_address(song)]
        if lost:
            self.say(f"{len(lost)} songs are not on YouTube, such as {lost[0]}: --urls FILE may say where they are")

    def excerpt(self) -> None:
        """Cut the recorded windows, and compare what comes out with what is recorded."""
        super().excerpt()
        report = compare(self._tables.clips, self._read("clips"))
        self._write(REPORT, report)
        for line in lines(report):
            self.say(line)
        self.say(f"song by song: {self._path(REPORT)}")

    def _terms(self) -> None:
        """Take over terms, lexicon and chains."""
        for name in ("terms", "lexicon"):
            self._write(name, getattr(self._tables, name))
        self._write("dropped_acts", DROPPED.empty_table())
        self._write("chains", _about(self._read("songs"), self._tables.chains))

    def _ratings(self) -> None:
        """Take over ratings, their means and the participants, who are described as in the whole dataset."""
        songs = self._read("songs")
        for name in ("ratings", "cells"):
            self._write(name, _about(songs, getattr(self._tables, name)))
        for name in ("dropped", "participants"):
            self._write(name, getattr(self._tables, name))

    @cached_property
    def _tables(self) -> Tables:
        return read_tables(self.published)

    def _windows(self) -> pa.Table:
        return self._tables.clips.filter(pc.is_valid(self._tables.clips["start_s"]))

    def _urls(self) -> dict[str, str]:
        """Song id -> url, from the list that was given or from the sample's; songs of YouTube need none."""
        path = self.source.listed
        if path is None:
            return {}
        table = pick(read_csv(path), "songs", ("song", "url"), self.options.mapping, path)
        return {row["song"].strip(): row["url"].strip() for row in table.to_pylist() if row["url"].strip()}

    def _origin(self, notes: made.Notes) -> dict[str, Any]:
        manifest, audio = self.published.manifest, notes["excerpt"]["audio"]
        limits = [limit for limit in (notes["songs"]["limit"], manifest["options"].get("limit")) if limit]
        options = {"seed": self.options.seed, "limit": min(limits, default=None), "audio": audio}
        options["exclude_raters"] = manifest["options"].get("exclude_raters", [])
        of = {"repository": self.published.repository, "commit": self.published.commit}
        return {
            "source": manifest["source"],
            "options": options | notes["excerpt"]["clip"],
            "inputs": manifest["inputs"],
            "charts": manifest.get("charts", {}),
            "replayed_from": of | {"manifest_sha256": sha256_of(self.published.root / MARK)},
        }


def _check(options: BuildOptions) -> None:
    default = BuildOptions()
    for name, option in RECORDED.items():
        if getattr(options, name) != getattr(default, name):
            raise InputError(f"{option}: not with a published dataset, which is built again as it was built")
    if options.urls and not options.urls.exists():
        raise InputError(f"--urls {options.urls}: there is no such file or folder")


def _located(songs: pa.Table, urls: dict[str, str]) -> pa.Table:
    """`songs` with the urls that are known of them."""
    column = pa.array([urls.get(song_id) for song_id in songs["song_id"].to_pylist()], pa.string())
    return songs.set_column(songs.column_names.index("url"), SONGS.field("url"), column)


def _about(songs: pa.Table, table: pa.Table) -> pa.Table:
    """The rows of `table` that are about one of `songs`."""
    return table.filter(pc.is_in(table["song_id"], value_set=songs["song_id"]))


def _has_address(song: dict[str, Any]) -> bool:
    try:
        target_of(song["song_id"], song["url"])
    except UnusableError:
        return False
    return True
