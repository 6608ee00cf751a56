"""The songs that tags are elicited for: 180 for all rating countries, and 20 local ones of each (paper section 4.1)."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from build.charts.select import Selection, draw_key

N_BALANCED, N_LOCAL = 180, 20  # songs a rating country
STAGE_ONE = pa.schema(
    [
        pa.field("rating_country", pa.string(), nullable=False),
        pa.field("part", pa.string(), nullable=False),  # balanced or local
        pa.field("origin", pa.string(), nullable=False),  # selected: one of the dataset's songs; pool: another one
        *(pa.field(name, pa.string(), nullable=False) for name in ("song_id", "title", "artist", "country")),
    ]
)


def stage_one(
    selection: Selection,
    rating_countries: Iterable[str],
    seed: int = 0,
    n_balanced: int = N_BALANCED,
    n_local: int = N_LOCAL,
) -> pa.Table:
    """The songs of each rating country (STAGE_ONE), the balanced ones first, then the local ones.

    Balanced songs are drawn from the selected ones in turns, one a country and round, so that no country has two more
    than another that still has songs; they are the same for all rating countries. Local songs come from the country's
    pool outside the selection, and where too few are there, from its selected songs outside the balanced ones.
    """
    selected = _in_random_order(selection.songs, seed)
    balanced = _in_turns(selected, seed)[:n_balanced]
    taken = {song["song_id"] for song in balanced}
    dataset = {song["song_id"] for song in selected}
    rows = []
    for country in rating_countries:
        own = _in_random_order(selection.pool_of(country), seed)
        local = [("pool", song) for song in own if song["song_id"] not in dataset]
        local += [("selected", song) for song in own if song["song_id"] in dataset - taken]
        chosen = [("balanced", "selected", song) for song in balanced]
        chosen += [("local", origin, song) for origin, song in local[:n_local]]
        rows += [{**song, "rating_country": country, "part": part, "origin": origin} for part, origin, song in chosen]
    return pa.Table.from_pylist(rows, STAGE_ONE)


def _in_random_order(songs: pa.Table, seed: int) -> list[dict[str, Any]]:
    rows = songs.select(["song_id", "title", "artist", "country"]).to_pylist()
    return sorted(rows, key=lambda song: draw_key(song["song_id"], seed))


def _in_turns(songs: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """The first song of every country, then the second of every country, and so on; countries in a random order."""
    seen: Counter[str] = Counter()
    turns = []
    for song in songs:
        turns.append((seen[song["country"]], draw_key(song["country"], seed)))
        seen[song["country"]] += 1
    return [song for _, song in sorted(zip(turns, songs, strict=True), key=lambda pair: pair[0])]
