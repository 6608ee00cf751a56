"""Join what the stages made into the rows that are published, all but the sound itself.

A song is a row even where its audio could not be had. A term that nobody rated is a null mean, a null deviation and a
zero count; the struct of a language and its lists are never null.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from build.split import shelf
from build.tables import CELLS, CLIPS, SONGS, SPLITS, TERMS, conform
from globalmood import FEATURES, LANGUAGES, SONG

NOT_FETCHED = "not_fetched"  # status of a song whose audio was not asked for
PLACE = [
    ("split", pa.string()),
    ("clip", pa.string()),
]  # where a row goes, where its sound lies: not published


def song_rows(songs: pa.Table, splits: pa.Table, clips: pa.Table) -> pa.Table:
    """One row a song: the columns PLACE and the song columns.

    Parameters are SONGS, SPLITS and CLIPS. Rows are in the order of `build.split.shelf`, which mixes countries and
    stays the same when songs come or go. A song without a row in `clips` has the status NOT_FETCHED.
    """
    places = [shelf(song_id) for song_id in songs["song_id"].to_pylist()]
    songs = conform(songs, SONGS).take(pa.array(np.argsort(places, kind="stable"), pa.int64()))
    split, clip = _beside(songs, conform(splits, SPLITS)), _beside(songs, conform(clips, CLIPS))
    known = _columns(songs) | _columns(split) | _columns(clip.rename_columns({"path": "clip"}))
    known |= {"song_id": songs["song_id"], "status": pc.fill_null(clip["status"], NOT_FETCHED)}
    schema = pa.schema([*PLACE, *(FEATURES["all"].arrow_schema.field(name) for name in SONG)])
    return pa.table(known).select(schema.names).cast(schema)


def with_statistics(rows: pa.Table, cells: pa.Table, terms: pa.Table) -> pa.Table:
    """`rows` with a struct for each language, from CELLS and TERMS."""
    for language in LANGUAGES:
        rows = rows.append_column(
            language.config, _statistics(rows["song_id"], language.config, language.n_terms, cells, terms)
        )
    return rows


def _beside(songs: pa.Table, table: pa.Table) -> pa.Table:
    """The row of `table` of each of `songs`, in their order; nulls where there is none."""
    return table.take(pc.index_in(songs["song_id"], value_set=table["song_id"].combine_chunks()))


def _columns(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    return dict(zip(table.column_names, table.columns, strict=True))


def _statistics(
    song_ids: pa.ChunkedArray, language: str, n_terms: int, cells: pa.Table, terms: pa.Table
) -> pa.StructArray:
    """The struct of a language for every song: lists of `mean`, `std` and `count` in the order of its terms' ranks."""
    cells = conform(cells.filter(pc.equal(cells["language"], language)), CELLS)
    terms = conform(terms.filter(pc.equal(terms["language"], language)), TERMS)
    rank = dict(zip(terms["term_id"].to_pylist(), terms["rank"].to_pylist(), strict=True))
    place = {song_id: index for index, song_id in enumerate(song_ids.to_pylist())}
    inside = pc.is_in(cells["song_id"], value_set=pa.array(list(place), pa.string()))
    cells = cells.filter(inside)  # ratings of songs that a limited build leaves out
    song = np.array([place[song_id] for song_id in cells["song_id"].to_pylist()], np.int64)
    column = np.array([rank[term_id] - 1 for term_id in cells["term_id"].to_pylist()], np.int64)
    statistics: dict[str, np.ndarray] = {
        "mean": np.full((len(place), n_terms), np.nan, np.float32),
        "std": np.full((len(place), n_terms), np.nan, np.float32),
        "count": np.zeros((len(place), n_terms), np.int16),
    }
    for name, values in statistics.items():
        values[song, column] = cells[name].fill_null(np.nan).to_numpy() if name != "count" else cells[name].to_numpy()
    lists = [
        pa.FixedSizeListArray.from_arrays(pa.array(values.ravel(), from_pandas=True), n_terms)
        for values in statistics.values()
    ]
    return pa.StructArray.from_arrays(lists, names=list(statistics))
