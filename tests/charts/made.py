"""Chart files, lines and rows for tests."""

from datetime import date
from typing import Any

import pyarrow as pa

from build.charts.rows import CHART_LINES, CHART_ROWS

HEADER_2022 = "Rank,Previous Rank,Track Name,Artist Names,Weeks on Chart,Views,Weekly Growth,YouTube URL"
HEADER_2025 = "Rank,Previous Rank,Track Name,Artist Names,Periods on Chart,Views,Growth,YouTube URL"
WATCH = "https://www.youtube.com/watch?v="
WEEK = date(2022, 1, 6)


def video(name: str) -> str:
    """An id of 11 characters that begins with `name`."""
    return name.ljust(11, "_")


def line(rank: str = "1", title: str = "Song", artist: str = "Someone", url: str = WATCH + video("a"), **more: Any):
    """A line of a chart file as read; `more` overrides country, week, row and file."""
    place = {"file": "f.csv", "country": "BR", "week": WEEK, "row": 2, **more}
    return {**place, "rank": rank, "title": title, "artist": artist, "url": url}


def lines(*rows: dict[str, Any]) -> pa.Table:
    """CHART_LINES of rows made by `line`."""
    return pa.Table.from_pylist(list(rows), _plain(CHART_LINES)).cast(CHART_LINES)


def row(country: str, song: str, title: str = "", artist: str = "Someone", rank: int = 1, week: date = WEEK, place=2):
    """A chart row of the video whose id begins with `song`; its title is its own unless one is given."""
    where = {"file": f"{country}.csv", "country": country, "week": week, "row": place}
    return {**where, "rank": rank, "title": title or f"Title of {song}", "artist": artist, "song_id": video(song)}


def rows(*made: dict[str, Any]) -> pa.Table:
    """CHART_ROWS of rows made by `row`."""
    return pa.Table.from_pylist(list(made), _plain(CHART_ROWS)).cast(CHART_ROWS)


def _plain(schema: pa.Schema) -> pa.Schema:
    kinds = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in schema]
    return pa.schema(list(zip(schema.names, kinds, strict=True)))
