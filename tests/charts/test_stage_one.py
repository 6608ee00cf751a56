from collections import Counter

from build.charts.select import select_songs
from build.charts.stage_one import STAGE_ONE, stage_one
from tests.charts.made import row, rows


def selected(per_country: int, **songs: int):
    """A selection from charts with so many songs of each country."""
    return select_songs(
        rows(*(row(code, f"{code}{i}") for code, number in songs.items() for i in range(number))), per_country
    )


def part(table, country: str, name: str) -> list[dict]:
    return [song for song in table.to_pylist() if (song["rating_country"], song["part"]) == (country, name)]


def test_the_papers_numbers():
    selection = selected(20, **{f"{a}{b}": 45 for a in "ABCDEFGH" for b in "ABCDEFGH"})
    songs = stage_one(selection, ["AA", "BB"])
    assert songs.schema == STAGE_ONE
    assert Counter(zip(songs["rating_country"].to_pylist(), songs["part"].to_pylist(), strict=True)) == {
        (country, name): number for country in ("AA", "BB") for name, number in (("balanced", 180), ("local", 20))
    }
    assert len({(song["rating_country"], song["song_id"]) for song in songs.to_pylist()}) == 400


def test_balanced_songs_are_the_datasets_and_the_same_for_every_rating_country():
    selection = selected(6, BR=9, US=9, NG=9, KR=9)
    songs = stage_one(selection, ["BR", "US"], n_balanced=10)
    first, second = (part(songs, country, "balanced") for country in ("BR", "US"))
    assert [song["song_id"] for song in first] == [song["song_id"] for song in second]
    assert {song["song_id"] for song in first} <= set(selection.songs["song_id"].to_pylist())
    assert {song["origin"] for song in first} == {"selected"}
    assert sorted(Counter(song["country"] for song in first).values()) == [2, 2, 3, 3]


def test_a_country_that_has_too_few_leaves_its_turns_to_others():
    songs = stage_one(selected(6, BR=9, US=1), ["BR"], n_balanced=5)
    assert Counter(song["country"] for song in part(songs, "BR", "balanced")) == {"BR": 4, "US": 1}


def test_local_songs_are_of_the_country_and_outside_the_dataset():
    selection = selected(6, BR=9, US=9)
    local = part(stage_one(selection, ["BR"], n_balanced=4, n_local=3), "BR", "local")
    assert [(song["country"], song["origin"]) for song in local] == [("BR", "pool")] * 3
    assert not {song["song_id"] for song in local} & set(selection.songs["song_id"].to_pylist())


def test_where_the_pool_has_too_few_the_rest_are_selected_songs_that_are_not_balanced_ones():
    songs = stage_one(selected(6, BR=8, US=6), ["BR"], n_balanced=4, n_local=5)
    local = part(songs, "BR", "local")
    assert [song["origin"] for song in local] == ["pool"] * 2 + ["selected"] * 3
    assert len({song["song_id"] for song in part(songs, "BR", "balanced") + local}) == 9


def test_a_rating_country_without_charts_has_no_local_songs():
    assert part(stage_one(selected(6, BR=8), ["KR"]), "KR", "local") == []


def test_the_seed_draws_other_songs():
    selection = selected(20, BR=40, US=40)
    draws = [stage_one(selection, ["BR"], seed, 10)["song_id"].to_pylist() for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
