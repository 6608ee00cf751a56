"""Chart rows to songs that charted in one country only, 20 of them a country (paper section 3.2)."""

import hashlib
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from build.charts.rows import CHART_ROWS, drops
from build.charts.songs import charted_songs, countries_by_group, recording_groups
from build.errors import InputError
from build.tables import SONGS, conform

RULES = ("recording", "id")
PER_COUNTRY = 20  # songs a country, paper section 3.2
_REASONS = ["id_elsewhere", "recording_elsewhere", "other_upload", "not_drawn"]


@dataclass(frozen=True)
class Selection:
    """Songs drawn from the charts.

    `songs` (SONGS) are the songs drawn, by country and id; `pool` (SONGS) all that they were drawn from; `dropped`
    (DROPPED) every other video of the charts with its reason; `counts` has one row a country: videos, exclusive_by_id
    and exclusive_by_recording (both count videos), pool, drawn, and how many it is short of those asked for.
    """

    songs: pa.Table
    pool: pa.Table
    dropped: pa.Table
    counts: pa.Table


def select_songs(
    chart_rows: pa.Table, per_country: int = PER_COUNTRY, seed: int = 0, exclusive: str = "recording"
) -> Selection:
    """Draw `per_country` songs a country from those that charted in no other, whatever the order of the rows.

    `chart_rows` as in CHART_ROWS. `exclusive="id"`: the video charts in no other country. `"recording"`: nor does any
    upload of its recording, and of several uploads in its country only the one that charted longest is in the pool.
    A country that is short stays short. Raises InputError for another rule and for `per_country` below 1.
    """
    if exclusive not in RULES:
        raise InputError(f"exclusive {exclusive!r}: the rules are {' and '.join(RULES)}")
    if per_country < 1:
        raise InputError(f"{per_country} songs a country: at least 1 is needed")
    rows = chart_rows.select(CHART_ROWS.names).cast(CHART_ROWS).combine_chunks()
    videos, group = charted_songs(rows), recording_groups(rows)
    by_id = countries_by_group(rows, np.arange(videos.num_rows))
    by_recording = countries_by_group(rows, group).take(pa.array(group))
    alone = {"id": _alone(by_id), "recording": _alone(by_recording)}
    pool = alone[exclusive]
    if exclusive == "recording":
        pool = _first_of_each(group, pool, _longest_first(videos), 1)
    names = pc.unique(by_id.flatten()).sort()
    home = pc.index_in(videos["country"], names).to_numpy()
    drawn = _first_of_each(home, pool, _random_order(videos, seed), per_country)
    why = np.select([drawn, ~alone["id"], ~alone[exclusive], ~pool], np.arange(4), 4)
    listed = np.bincount(pc.index_in(by_id.flatten(), names).to_numpy(), minlength=len(names))
    masks = {"exclusive_by_id": alone["id"], "exclusive_by_recording": alone["recording"], "pool": pool, "drawn": drawn}
    counts = {name: np.bincount(home[mask], minlength=len(names)) for name, mask in masks.items()}
    counts["short"] = np.maximum(per_country - counts["drawn"], 0)
    return Selection(
        _songs(videos, drawn),
        _songs(videos, pool),
        _dropped(videos, why, by_recording),
        pa.table({"country": names, "videos": listed, **counts}),
    )


def draw_key(song_id: str, seed: int) -> int:
    """A number of 64 bits that orders songs at random, by seed and id alone: files and other songs do not matter."""
    return int.from_bytes(hashlib.sha256(f"{seed} {song_id}".encode()).digest()[:8])


def _alone(countries: pa.ListArray) -> np.ndarray:
    return pc.list_value_length(countries).to_numpy() == 1


def _longest_first(videos: pa.Table) -> np.ndarray:
    return np.lexsort([videos["peak_rank"].to_numpy(), -videos["weeks_on_chart"].to_numpy()])


def _random_order(videos: pa.Table, seed: int) -> np.ndarray:
    keys = [draw_key(song_id, seed) for song_id in videos["song_id"].to_pylist()]
    return np.argsort(np.array(keys, np.uint64), kind="stable")


def _first_of_each(group: np.ndarray, among: np.ndarray, order: np.ndarray, number: int) -> np.ndarray:
    order = order[among[order]]
    order = order[np.argsort(group[order], kind="stable")]
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    position = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    first = np.zeros(len(group), bool)
    first[order[position < number]] = True
    return first


def _dropped(videos: pa.Table, why: np.ndarray, countries: pa.ListArray) -> pa.Table:
    charted = videos.append_column("countries", pc.binary_join(countries, " "))
    reasons = pa.array(_REASONS).take(pa.array(why[why > 0] - 1))
    return drops(charted.filter(why > 0), reasons, ["song_id", "title", "artist", "countries"])


def _songs(videos: pa.Table, mask: np.ndarray) -> pa.Table:
    songs = videos.filter(mask)
    for name in ("url", "start_s"):
        songs = songs.append_column(name, pa.nulls(songs.num_rows))
    return conform(songs, SONGS).sort_by([("country", "ascending"), ("song_id", "ascending")])
