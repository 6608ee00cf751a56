"""Lines of chart files to chart rows: one video in one country's chart of one week."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from build.charts.coded import CODED, coded, each_text, mapped
from build.tables import DROPPED

_PLACE = [("file", CODED), ("country", CODED), ("week", pa.date32()), ("row", pa.int64())]
_SONG = [("title", CODED), ("artist", CODED)]
CHART_LINES = pa.schema([*_PLACE, ("rank", CODED), *_SONG, ("url", CODED)])
CHART_ROWS = pa.schema([*_PLACE, ("rank", pa.int16()), *_SONG, ("song_id", CODED)])
_RANK = re.compile(r"0*([1-9]\d{0,3})(?:\.0*)?")  # pandas writes whole numbers of a column with gaps as 3.0
_ROWS_A_TURN = 65_536  # rows whose texts are written out at one time
_VIDEO = r"(?:[?&]v=|youtu\.be/)(?P<id>[^&#?/\s]*)"
_VIDEO_ID = r"^[0-9A-Za-z_-]{11}$"


def usable_rows(lines: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Chart rows (CHART_ROWS) of lines (CHART_LINES), and what was dropped (DROPPED), with a reason of `build.charts`.

    A video may still stand twice in a country and week, which `best_ranks` mends for all lines together.
    """
    lines = lines.select(CHART_LINES.names).cast(CHART_LINES).combine_chunks()
    rank, video = mapped(lines["rank"], each_text(rank_number, pa.int16())), mapped(lines["url"], video_ids)
    wrong = {
        "no_rank": pc.is_null(rank),
        "no_title": mapped(lines["title"], lambda titles: pc.equal(pc.utf8_trim_whitespace(titles), "")),
        "no_video_id": pc.equal(video, ""),
        "bad_video_id": pc.invert(pc.match_substring_regex(video, _VIDEO_ID)),
    }
    reason = pc.coalesce(*(pc.if_else(fails, name, None) for name, fails in wrong.items()))
    rows = lines.drop_columns("rank").append_column("rank", rank).append_column("song_id", video.dictionary_encode())
    rows = rows.select(CHART_ROWS.names).filter(pc.is_null(reason)).cast(CHART_ROWS)
    return rows, drops(lines.filter(pc.is_valid(reason)), reason.drop_null(), ["rank", "title", "url"])


def best_ranks(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """(kept, dropped) of CHART_ROWS: of a video's rows in one country and week the first with the best rank stays."""
    rows = rows.combine_chunks()
    songs, countries = coded(rows["song_id"]), coded(rows["country"])
    weeks, week = np.unique(rows["week"].cast(pa.int32()).to_numpy(), return_inverse=True)
    key = songs.indices.to_numpy().astype(np.int64) * len(countries.dictionary) + countries.indices.to_numpy()
    best_first = np.argsort(rows["rank"].to_numpy(), kind="stable")
    _, first = np.unique((key * len(weeks) + week)[best_first], return_index=True)
    best = np.zeros(rows.num_rows, bool)
    best[best_first[first]] = True
    twice = rows.filter(~best)
    return rows.filter(best), drops(twice, pa.repeat("listed_twice", twice.num_rows), ["song_id"])


def drops(rows: pa.Table, reasons: pa.Array, detail: list[str]) -> pa.Table:
    """A table of drops (DROPPED) from rows that have file and row; `detail` names the columns that tell about them."""
    rows = rows.select(["file", "row", *detail]).append_column("reason", reasons)
    parts = [DROPPED.empty_table()]
    for part in rows.to_batches(max_chunksize=_ROWS_A_TURN):
        told = pc.binary_join_element_wise(*(part[name].cast(pa.string()) for name in detail), " | ")
        parts.append(pa.table([part["file"], part["row"], part["reason"], told], names=DROPPED.names).cast(DROPPED))
    return pa.concat_tables(parts)


def rank_number(text: str) -> int | None:
    """A rank as a number; None where there is none.

    >>> rank_number(" 3.0 "), rank_number("n/a")
    (3, None)
    """
    found = _RANK.fullmatch(text.strip())
    return int(found[1]) if found else None


def video_ids(urls: pa.Array) -> pa.Array:
    """What each address gives as the id of a YouTube video, whole or not; empty where it gives none.

    >>> video_ids(pa.array(["https://www.youtube.com/watch?v=-5_HiurjpKA&t=1", "n/a"])).to_pylist()
    ['-5_HiurjpKA', '']
    """
    return pc.struct_field(pc.extract_regex(urls, _VIDEO), "id").fill_null("")
