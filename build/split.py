"""Where a song belongs: train or test, and its fold for cross-validation. No seed moves it, and all configs agree.

Songs are ordered within their country by a hash of their id. The first 180 in 1,180 of that order are test, spread
evenly over the countries: three of each twenty, and the lowest fourths fill up.
"""

import hashlib
import re
from collections import Counter, defaultdict

import pyarrow as pa

from build.tables import SPLITS, conform

SALT = "globalmood-split-1"  # part of the published split: never change it
SHARD_SALT = "globalmood-shards-1"  # another one: test songs come first in the order of the split, and fill all shards
TEST_SHARE = (180, 1180)  # songs in test, of all songs (paper, section 5.1)
N_FOLDS = 5
_CREDIT = re.compile(r"\s*(?:,|&|\band\b|\bx\b|\bfeat\.?|\bft\.?|\bfeaturing\b)\s*", re.IGNORECASE)


def position(song_id: str, salt: str = SALT) -> float:
    """A number in [0, 1) that depends on the song alone: the first 8 bytes of sha256(salt, song id)."""
    digest = hashlib.sha256(f"{salt}\0{song_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def shelf(song_id: str) -> float:
    """Where a song lies among the shards of its split, from 0 up to 1."""
    return position(song_id, SHARD_SALT)


def assign(songs: pa.Table) -> pa.Table:
    """SPLITS for SONGS, sorted by song id, whatever the order of the songs."""
    rows = sorted(songs.select(["song_id", "country", "artist"]).to_pylist(), key=lambda row: position(row["song_id"]))
    test = _test_songs(rows)
    folds = _folds([row for row in rows if row["song_id"] not in test])
    ids = sorted(row["song_id"] for row in rows)
    return conform(
        pa.table(
            {
                "song_id": ids,
                "split": ["test" if song_id in test else "train" for song_id in ids],
                "fold": pa.array([folds.get(song_id) for song_id in ids], pa.int8()),
            }
        ),
        SPLITS,
    )


def _test_songs(rows: list[dict[str, str]]) -> set[str]:
    """The songs of `rows` (in order of position) that are test."""
    size = Counter(row["country"] for row in rows)
    seen: Counter[str] = Counter()
    places = []
    for row in rows:
        country = row["country"]
        places.append((seen[country] / size[country], position(row["song_id"]), row["song_id"]))
        seen[country] += 1
    share, whole = TEST_SHARE
    n_test = max(round(len(rows) * share / whole), int(len(rows) > 1))  # of two songs or more, one is test
    return {song_id for *_, song_id in sorted(places)[:n_test]}


def _folds(rows: list[dict[str, str]]) -> dict[str, int]:
    """Song id -> fold: artists that share a credit stay together, big groups first, each where it balances best."""
    in_fold: list[Counter[str]] = [Counter() for _ in range(N_FOLDS)]
    folds: dict[str, int] = {}
    groups = _groups_of_artists(rows)
    for group in sorted(groups, key=lambda group: (-len(group), position(group[0]["song_id"]))):
        countries = Counter(row["country"] for row in group)
        fold = min(
            range(N_FOLDS),
            key=lambda k: (sum(in_fold[k][c] * n for c, n in countries.items()) / len(group), in_fold[k].total(), k),
        )
        in_fold[fold] += countries
        folds |= {row["song_id"]: fold for row in group}
    return folds


def _groups_of_artists(rows: list[dict[str, str]]) -> list[list[dict[str, str]]]:
    """Connected groups: two songs are together where one artist is credited on both (too many rather than too few)."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    names_of = [credited(row["artist"]) or [row["song_id"]] for row in rows]
    for names in names_of:
        for name in names:
            leader[find(name)] = find(names[0])
    groups = defaultdict(list)
    for row, names in zip(rows, names_of, strict=True):
        groups[find(names[0])].append(row)
    return list(groups.values())


def credited(artist: str) -> list[str]:
    """The names in a credit line, case-folded: `A, B & C feat. D` -> four. Placeholders such as `--` are no names."""
    names = [name.strip().casefold() for name in _CREDIT.split(artist)]
    return [name for name in names if name.strip("-& ")]
