"""`build.split`: the split and the folds follow from the songs alone."""

from collections import Counter

import pyarrow as pa
import pytest

from build.sources.songs import read_songs
from build.split import assign, credited, position
from build.tables import SONGS


def song_list(n_countries: int, each: int, artist="{country} artist {index}") -> pa.Table:
    rows = [
        {
            "song_id": f"song-{country}-{index}",
            "title": "t",
            "artist": artist.format(country=country, index=index),
            "country": f"{country:02d}",
        }
        for country in range(n_countries)
        for index in range(each)
    ]
    return pa.Table.from_pylist(rows, SONGS)


def by_song(songs: pa.Table) -> dict:
    return {row["song_id"]: row for row in assign(songs).to_pylist()}


def test_a_place_is_the_first_64_bits_of_the_salted_hash():
    """sha256("globalmood-split-1", NUL, "a") begins with these eight bytes."""
    import hashlib

    digest = hashlib.sha256(b"globalmood-split-1\0a").hexdigest()
    assert position("a") == int(digest[:16], 16) / 16**16


def test_twenty_songs_of_59_countries_give_180_test_songs_three_or_four_a_country():
    places = by_song(song_list(59, 20))
    test = Counter(song_id.split("-")[1] for song_id, row in places.items() if row["split"] == "test")
    assert sum(test.values()) == 180
    assert Counter(test.values()) == {3: 56, 4: 3}


def test_the_first_three_of_every_country_are_test():
    songs = song_list(59, 20)
    places = by_song(songs)
    for country in range(59):
        ids = sorted((f"song-{country}-{index}" for index in range(20)), key=position)
        assert [places[song_id]["split"] for song_id in ids[:3]] == ["test"] * 3


@pytest.mark.parametrize(("n_songs", "n_test"), [(1, 0), (2, 1), (16, 2), (118, 18)])
def test_other_lists_keep_the_share(n_songs, n_test):
    assert sum(row["split"] == "test" for row in by_song(song_list(1, n_songs)).values()) == n_test


def test_order_of_the_list_changes_nothing():
    songs = song_list(10, 20)
    assert assign(songs) == assign(songs.take(list(range(199, -1, -1))))


def test_folds_are_in_train_only_and_of_equal_size():
    places = by_song(song_list(59, 20)).values()
    assert {row["fold"] for row in places if row["split"] == "test"} == {None}
    assert Counter(row["fold"] for row in places if row["split"] == "train") == dict.fromkeys(range(5), 200)


def test_countries_are_balanced_over_folds():
    places = by_song(song_list(59, 20))
    count = Counter((song_id.split("-")[1], row["fold"]) for song_id, row in places.items() if row["fold"] is not None)
    assert {min(count.values()), max(count.values())} <= {3, 4}


def test_artists_stay_in_one_fold_also_where_they_share_a_credit():
    songs = song_list(10, 20, artist="Solo {index} & Guest {country}")
    folds = {row["fold"] for row in by_song(songs).values()} - {None}
    assert len(folds) == 1, "every song is linked to every other by a solo artist or a guest"


@pytest.mark.parametrize(
    ("artist", "names"),
    [
        ("A, B & C feat. D", ["a", "b", "c", "d"]),
        ("MC Lipi , DJ Z", ["mc lipi", "dj z"]),
        ("-- & Kyan", ["kyan"]),
        ("&  &  &", []),
        ("Alexander", ["alexander"]),
    ],
)
def test_credits_are_the_names_in_the_artist_field(artist, names):
    assert credited(artist) == names


def test_the_real_list_keeps_artists_together(shared_data):
    songs = read_songs(shared_data / "globalmood" / "songmeta_GlobalMood.csv", {})
    places = by_song(songs)
    folds: dict[str, set] = {}
    for song in songs.to_pylist():
        if places[song["song_id"]]["split"] == "train":
            for name in credited(song["artist"]):
                folds.setdefault(name, set()).add(places[song["song_id"]]["fold"])
    assert all(len(seen) == 1 for seen in folds.values())
    assert Counter(row["split"] for row in places.values()) == {"train": 1000, "test": 180}
