"""Chart rows to songs that charted in one country only, 20 of them a country (paper section 3.2)."""

import hashlib
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from build.charts.coded import each_text, mapped
from build.charts.rows import drops
from build.charts.songs import Charted, charted, countries_by_group, recording_groups
from build.errors import InputError
from build.tables import SONGS, conform

RULES = ("recording", "id")
PER_COUNTRY = 20  # songs a country, paper section 3.2
_REASONS = pa.array(["id_elsewhere", "recording_elsewhere", "other_upload"])


@dataclass(frozen=True)
class Selection:
    """Songs drawn from the charts.

    `songs` (SONGS) are the songs drawn, by country and id; `pool` has them and all others that could have been
    drawn (`pool_of` gives those of a country as SONGS); `dropped` (DROPPED) has the other videos of the charts, each
    with its reason; `counts` has a row a country: videos, exclusive_by_id and exclusive_by_recording (both count
    videos), pool, drawn, and how many it is short of those asked for.
    """

    songs: pa.Table
    pool: pa.Table
    dropped: pa.Table
    counts: pa.Table

    def pool_of(self, country: str) -> pa.Table:
        """The songs (SONGS), by id, that a country's were drawn from."""
        return _songs(self.pool.filter(pc.equal(self.pool["country"], country)))


def select_songs(
    chart_rows: pa.Table, per_country: int = PER_COUNTRY, seed: int = 0, exclusive: str = "recording"
) -> Selection:
    """Draw `per_country` songs a country from those that charted in no other, whatever the order of the rows.

    `chart_rows` as in CHART_ROWS, each video once in a country and week. `exclusive="id"`: the video charts in no other
    country. `"recording"`: nor does any upload of its recording, and of several uploads in its country only the one
    that charted longest is in the pool. A country that is short stays short. Raises InputError for another rule and for
    `per_country` below 1.
    """
    if exclusive not in RULES:
        raise InputError(f"exclusive {exclusive!r}: the rules are {' and '.join(RULES)}")
    if per_country < 1:
        raise InputError(f"{per_country} songs a country: at least 1 is needed")
    found = charted(chart_rows)
    groups = {"id": np.arange(found.videos.num_rows), "recording": recording_groups(found)}
    where = {rule: countries_by_group(found, group).take(pa.array(group)) for rule, group in groups.items()}
    alone = {rule: pc.list_value_length(countries).to_numpy() == 1 for rule, countries in where.items()}
    key = mapped(found.videos["song_id"], each_text(partial(draw_key, seed=seed), pa.uint64())).to_numpy()
    pool = _first_of_each(groups[exclusive], alone[exclusive], _longest_first(found.videos, key), 1)
    drawn = _first_of_each(found.home, pool, np.argsort(key), per_country)
    why = np.select([pool, ~alone["id"], ~alone[exclusive]], np.arange(3), 3)
    masks = {"exclusive_by_id": alone["id"], "exclusive_by_recording": alone["recording"], "pool": pool, "drawn": drawn}
    return Selection(
        _songs(found.videos.filter(drawn)),
        found.videos.filter(pool),
        _dropped(found.videos, why, where["recording"]),
        _counts(found, where["id"], masks, per_country),
    )


def draw_key(song_id: str, seed: int) -> int:
    """A number of 64 bits that orders songs at random, by seed and id alone: files and other songs do not matter."""
    return int.from_bytes(hashlib.sha256(f"{seed} {song_id}".encode()).digest()[:8])


def _longest_first(videos: pa.Table, key: np.ndarray) -> np.ndarray:
    return np.lexsort([key, videos["peak_rank"].to_numpy(), -videos["weeks_on_chart"].to_numpy()])


def _first_of_each(group: np.ndarray, among: np.ndarray, order: np.ndarray, number: int) -> np.ndarray:
    """A mask of the first `number` of each group, `among` some, in an order."""
    order = order[among[order]]
    order = order[np.argsort(group[order], kind="stable")]
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    position = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    first = np.zeros(len(group), bool)
    first[order[position < number]] = True
    return first


def _dropped(videos: pa.Table, why: np.ndarray, countries: pa.ListArray) -> pa.Table:
    gone = videos.append_column("countries", pc.binary_join(countries, " ")).filter(why > 0)
    return drops(gone, _REASONS.take(pa.array(why[why > 0] - 1)), ["song_id", "title", "artist", "countries"])


def _songs(videos: pa.Table) -> pa.Table:
    for name in ("url", "start_s"):
        videos = videos.append_column(name, pa.nulls(videos.num_rows))
    return conform(videos, SONGS).sort_by([("country", "ascending"), ("song_id", "ascending")])


def _counts(found: Charted, where: pa.ListArray, masks: dict[str, np.ndarray], per_country: int) -> pa.Table:
    number = len(found.countries)
    listed = np.bincount(pc.index_in(where.flatten(), found.countries).to_numpy(), minlength=number)
    counts = {name: np.bincount(found.home[mask], minlength=number) for name, mask in masks.items()}
    short = np.maximum(per_country - counts["drawn"], 0)
    return pa.table({"country": found.countries, "videos": listed, **counts, "short": short})
