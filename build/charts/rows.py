"""Lines of chart files to chart rows: one video in one country's chart of one week."""

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from build.tables import DROPPED

CODED = pa.dictionary(pa.int32(), pa.string())  # the same titles and artists come back week after week
_PLACE = [("file", CODED), ("country", CODED), ("week", pa.date32()), ("row", pa.int64())]
CHART_LINES = pa.schema([*_PLACE, ("rank", CODED), ("title", CODED), ("artist", CODED), ("url", CODED)])
CHART_ROWS = pa.schema([*_PLACE, ("rank", pa.int16()), ("title", CODED), ("artist", CODED), ("song_id", CODED)])
_RANK = re.compile(r"0*([1-9]\d{0,3})(?:\.0*)?")  # pandas writes whole numbers of a column with gaps as 3.0
_VIDEO_ID = re.compile(r"(?:[?&]v=|youtu\.be/)([^&#?/\s]*)")
_WHOLE_ID = re.compile(r"[0-9A-Za-z_-]{11}")


def usable_rows(lines: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Chart rows (CHART_ROWS) of lines (CHART_LINES), and what was dropped (DROPPED), with a reason of `build.charts`.

    Of the rows that name one video in one country and week, the one with the best rank stays, wherever they stand.
    """
    lines = lines.select(CHART_LINES.names).cast(CHART_LINES).combine_chunks()
    reason = pc.coalesce(
        mapped(lines["rank"], lambda text: None if rank_number(text) else "no_rank", pa.string()),
        mapped(lines["title"], lambda text: None if text.strip() else "no_title", pa.string()),
        mapped(lines["url"], _fault_of_url, pa.string()),
    )
    sound, faulty = lines.filter(pc.is_null(reason)), lines.filter(pc.is_valid(reason))
    rank = mapped(sound["rank"], rank_number, pa.int16())
    song = mapped(sound["url"], video_id, pa.string()).dictionary_encode()
    rows = sound.drop_columns(["rank", "url"]).append_column("rank", rank).append_column("song_id", song)
    rows = rows.select(CHART_ROWS.names).cast(CHART_ROWS)
    again = _listed_again(rows)
    return rows.filter(~again), pa.concat_tables(
        [
            drops(faulty, reason.drop_null(), ["rank", "title", "url"]),
            drops(rows.filter(again), "listed_twice", ["song_id"]),
        ]
    )


def drops(rows: pa.Table, reason: str | pa.Array, detail: list[str]) -> pa.Table:
    """A table of drops (DROPPED) from rows that have file and row; `detail` names the columns that tell about them."""
    reasons = pa.repeat(pa.scalar(reason), rows.num_rows) if isinstance(reason, str) else reason
    told = pc.binary_join_element_wise(*(rows[name].cast(pa.string()) for name in detail), " | ")
    return pa.table([rows["file"], rows["row"], reasons, told], names=DROPPED.names).cast(DROPPED)


def mapped(column: pa.ChunkedArray, function: Callable[[str], object], kind: pa.DataType) -> pa.Array:
    """`function` of every text of a column, called once for each distinct text."""
    coded = coded_column(column)
    return pa.array(map(function, coded.dictionary.to_pylist()), kind).take(coded.indices)


def coded_column(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of texts as one array of distinct texts and the numbers that stand for them."""
    whole = column.unify_dictionaries().combine_chunks()
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def rank_number(text: str) -> int | None:
    """A rank as a number; None where there is none.

    >>> rank_number(" 3.0 "), rank_number("n/a")
    (3, None)
    """
    found = _RANK.fullmatch(text.strip())
    return int(found[1]) if found else None


def video_id(url: str) -> str:
    """What an address gives as the id of a YouTube video, whole or not; empty where it gives none.

    >>> video_id("https://www.youtube.com/watch?v=-5_HiurjpKA&t=1"), video_id("https://www.youtube.com/watch?v=")
    ('-5_HiurjpKA', '')
    """
    found = _VIDEO_ID.search(url)
    return found[1] if found else ""


def _fault_of_url(url: str) -> str | None:
    video = video_id(url)
    if not video:
        return "no_video_id"
    return None if _WHOLE_ID.fullmatch(video) else "bad_video_id"


def _listed_again(rows: pa.Table) -> np.ndarray:
    best_first = np.argsort(rows["rank"].to_numpy(), kind="stable")
    songs, countries = coded_column(rows["song_id"]), coded_column(rows["country"])
    key = songs.indices.to_numpy().astype(np.int64) * len(countries.dictionary) + countries.indices.to_numpy()
    weeks, week = np.unique(rows["week"].cast(pa.int32()).to_numpy(), return_inverse=True)
    _, first = np.unique((key * len(weeks) + week)[best_first], return_index=True)
    again = np.ones(rows.num_rows, bool)
    again[best_first[first]] = False
    return again
