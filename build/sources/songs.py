"""Song lists -> SONGS, checked before anything is done with them.

A song without a URL of its own is fetched from its YouTube page, so its id is a YouTube id. A `url` without a scheme
names a file inside the source folder.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from build import vocab
from build.errors import InputError
from build.fetch.urls import YOUTUBE, YOUTUBE_PAGE, UnusableError, target_of
from build.sources.columns import Mapping, pick
from build.sources.textfile import FIRST_ROW, read_csv
from build.tables import SONGS, conform


def read_songs(path: Path, mapping: Mapping) -> pa.Table:
    """The song list in `path` as SONGS, in the order of the file.

    Raises InputError, naming file and row, for a missing column, an id used twice or malformed, a country that
    `metadata/countries.csv` does not have, a URL or a start that cannot be used, or a list without songs.
    """
    table = pick(read_csv(path), "songs", ("song", "title", "artist", "country"), mapping, path)
    songs = list(_songs(table.to_pylist(), path))
    if not songs:
        raise InputError(f"{path}: the list has a header and no songs")
    return conform(pa.Table.from_pylist(songs, SONGS), SONGS)


def _songs(rows: list[dict[str, str]], path: Path) -> Iterator[dict[str, Any]]:
    first_row: dict[str, int] = {}
    for number, row in enumerate(rows, start=FIRST_ROW):
        where = f"{path}, row {number}"
        url = row.get("url", "").strip() or None
        song_id = _song_id(row["song"].strip(), url, where)
        if song_id in first_row:
            raise InputError(f"{where}: song {song_id!r} is already in row {first_row[song_id]}; every id stands once")
        first_row[song_id] = number
        yield {
            "song_id": song_id,
            "title": row["title"],
            "artist": row["artist"],
            "country": _country(row["country"].strip(), where),
            "url": url,
            "start_s": _start_s(row.get("start", "").strip(), where),
        }


def _song_id(text: str, url: str | None, where: str) -> str:
    """The id under which a song is published: a YouTube id, unless the song has an address of its own elsewhere."""
    try:
        if "/" in text or text.startswith("watch?"):  # the address of a video in place of its id
            page = target_of("-", "https://www.youtube.com/" + text if text.startswith("watch?") else text).url
            text = page.removeprefix(YOUTUBE_PAGE)
        target_of(text, url)
    except UnusableError as error:
        raise InputError(f"{where}: {error}") from error
    if url is not None and target_of(text, url).site == YOUTUBE:
        return _song_id(text, None, where)
    return text


def _country(text: str, where: str) -> str:
    countries = vocab.countries()
    if text in countries:
        return text
    by_name = {country.name.casefold(): code for code, country in countries.items()}
    if text.casefold() in by_name:
        return by_name[text.casefold()]
    raise InputError(f"{where}: country {text!r} is no ISO 3166-1 alpha-2 code or name in metadata/countries.csv")


def _start_s(text: str, where: str) -> float | None:
    if not text:
        return None
    try:
        start_s = float(text)
    except ValueError:
        start_s = math.nan
    if not (math.isfinite(start_s) and start_s >= 0):
        raise InputError(f"{where}: start {text!r} must be seconds from the beginning of the track, 0 or more")
    return start_s
