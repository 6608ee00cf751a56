"""Song lists for tests."""

from collections.abc import Mapping

import pyarrow as pa

from build.tables import SONGS


def song_table(urls: Mapping[str, str | None], country: str = "NA") -> pa.Table:
    """SONGS with these ids and urls."""
    rows = [
        {**dict.fromkeys(SONGS.names), "song_id": song_id, "title": "t", "artist": "a", "country": country, "url": url}
        for song_id, url in urls.items()
    ]
    return pa.Table.from_pylist(rows, schema=SONGS)
