"""The videos of the charts: first week, peak and weeks of each, which are one recording, and where they chart."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from build.charts.coded import coded, each_text, mapped
from build.charts.recording import artist_key, title_key
from build.charts.rows import CHART_ROWS

_ODD = np.uint64(0x9E3779B97F4A7C15)  # spreads the digests of titles, so that those of artists can be added


@dataclass(frozen=True)
class Charted:
    """The videos of chart rows.

    `videos` has a row a video: song_id, title, artist, country, file and row of its first appearance (the best rank of
    its earliest week), first_chart_week, peak_rank and weeks_on_chart (different weeks). For each of the chart `rows`,
    `song` is the number of its row in `videos`, and `country` that of its country in `countries`, which are sorted.
    """

    rows: pa.Table
    videos: pa.Table
    song: np.ndarray
    country: np.ndarray
    countries: pa.Array

    @property
    def home(self) -> np.ndarray:
        """For each video, the number of the country where it first appeared."""
        return pc.index_in(self.videos["country"], self.countries).to_numpy()


def charted(rows: pa.Table) -> Charted:
    """Find the videos of CHART_ROWS, each of which stands once in a country and week."""
    rows = rows.select(CHART_ROWS.names).cast(CHART_ROWS).combine_chunks()
    song = np.unique(coded(rows["song_id"]).indices.to_numpy(), return_inverse=True)[1].astype(np.int64)
    countries = pc.unique(rows["country"]).cast(pa.string()).sort()
    country = pc.index_in(rows["country"].cast(pa.string()), countries).to_numpy()
    return Charted(rows, _videos(rows, song, country), song, country, countries)


def recording_groups(of: Charted) -> np.ndarray:
    """A group number a video: the same for videos that share a title and set of artists (`build.charts.recording`),
    be it directly or through the spellings of other videos.
    """
    title, artist = _digests(of.rows["title"], title_key), _digests(of.rows["artist"], artist_key)
    spellings, spelling = np.unique(title * _ODD + artist, return_inverse=True)
    size = of.videos.num_rows + len(spellings)
    links = coo_array((np.ones(len(title), bool), (of.song, of.videos.num_rows + spelling)), shape=(size, size))
    return connected_components(links, directed=False)[1][: of.videos.num_rows]


def countries_by_group(of: Charted, group: np.ndarray) -> pa.ListArray:
    """The countries, sorted, where the videos of each group chart; `group` has a number from 0 a video."""
    n_countries = max(len(of.countries), 1)
    pairs = np.unique(group[of.song].astype(np.int64) * n_countries + of.country)
    counts = np.bincount(pairs // n_countries, minlength=group.max(initial=-1) + 1)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), of.countries.take(pa.array(pairs % n_countries)))


def _digests(column: pa.ChunkedArray, key: Callable[[str], str]) -> np.ndarray:
    """64 bits of a hash of each text's key: among two million, two are the same by chance once in ten million runs."""

    def digest(text: str) -> int:
        return int.from_bytes(hashlib.blake2b(key(text).encode(errors="replace"), digest_size=8).digest())

    return mapped(column, each_text(digest, pa.uint64())).to_numpy()


def _videos(rows: pa.Table, song: np.ndarray, country: np.ndarray) -> pa.Table:
    week, rank = rows["week"].cast(pa.int32()).to_numpy(), rows["rank"].to_numpy()
    order = np.lexsort([country, rank, week, song])
    song, week, rank = song[order], week[order], rank[order]
    new_song = np.diff(song, prepend=-1) != 0
    new_week = new_song | (np.diff(week, prepend=0) != 0)
    starts = np.flatnonzero(new_song)
    videos = rows.take(pa.array(order[starts])).drop_columns("rank").rename_columns({"week": "first_chart_week"})
    peak = np.minimum.reduceat(rank, starts) if len(starts) else rank
    weeks = np.add.reduceat(new_week, starts, dtype=np.int16) if len(starts) else rank
    return videos.append_column("peak_rank", pa.array(peak)).append_column("weeks_on_chart", pa.array(weeks))
