"""The videos of the charts: first week, peak and weeks of each, which are one recording, and where they chart."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from build.charts.recording import artist_key, title_key
from build.charts.rows import coded_column


def charted_songs(rows: pa.Table) -> pa.Table:
    """One row a video of the chart rows (CHART_ROWS), by song_id.

    Title, artist, country, file and row are those of its first appearance (the best rank of the earliest week);
    `weeks_on_chart` counts different weeks of these rows.
    """
    song, _ = numbered(rows["song_id"])
    week, rank = rows["week"].cast(pa.int32()).to_numpy(), rows["rank"].to_numpy()
    spelling = [numbered(rows[name])[0] for name in ("artist", "title", "country")]
    order = np.lexsort([*spelling, rank, week, song])
    song, week, rank = song[order], week[order], rank[order]
    starts = np.flatnonzero(np.diff(song, prepend=-1))
    new_week = (np.diff(song, prepend=-1) != 0) | (np.diff(week, prepend=0) != 0)
    first = rows.take(pa.array(order[starts])).drop_columns("rank").rename_columns({"week": "first_chart_week"})
    for name in ("song_id", "title", "artist", "country", "file"):
        first = first.set_column(first.schema.get_field_index(name), name, first[name].cast(pa.string()))
    peak = np.minimum.reduceat(rank, starts) if len(starts) else rank
    weeks = np.add.reduceat(new_week, starts, dtype=np.int16) if len(starts) else rank
    return first.append_column("peak_rank", pa.array(peak)).append_column("weeks_on_chart", pa.array(weeks))


def recording_groups(rows: pa.Table) -> np.ndarray:
    """A group number a video (in the order of song_id): the same for videos that share a title and set of artists,
    be it directly or through the spellings of a third.
    """
    song, videos = numbered(rows["song_id"])
    titles, _ = numbered(rows["title"], title_key)
    artists, known = numbered(rows["artist"], artist_key)
    spellings, spelling = np.unique(titles * len(known) + artists, return_inverse=True)
    size = len(videos) + len(spellings)
    links = coo_array((np.ones(len(song), bool), (song, len(videos) + spelling)), shape=(size, size))
    return connected_components(links, directed=False)[1][: len(videos)]


def countries_by_group(rows: pa.Table, group: np.ndarray) -> pa.ListArray:
    """The countries, in order, where the videos of each group chart; `group` has a number from 0 a video."""
    song, _ = numbered(rows["song_id"])
    country, names = numbered(rows["country"])
    pairs = np.unique(group[song] * len(names) + country)
    counts = np.bincount(pairs // max(len(names), 1), minlength=group.max(initial=-1) + 1)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), names.take(pa.array(pairs % max(len(names), 1))))


def numbered(column: pa.ChunkedArray, key: Callable[[str], str] = str) -> tuple[np.ndarray, pa.Array]:
    """The keys of a column's texts as numbers, and the distinct keys, in order, that they stand for."""
    coded = coded_column(column)
    keys = pa.array(map(key, coded.dictionary.to_pylist()), pa.string())
    distinct = pc.unique(keys.take(coded.indices))
    distinct = distinct.take(pc.array_sort_indices(distinct))
    number_of_code = pc.index_in(keys, distinct).fill_null(-1).to_numpy().astype(np.int64)
    return number_of_code[coded.indices.to_numpy()], distinct
