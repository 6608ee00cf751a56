from collections import Counter
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build.charts.recording import artist_key, title_key
from build.charts.select import draw_key, select_songs
from build.errors import InputError
from build.tables import DROPPED, SONGS
from tests.charts.made import WEEK, row, rows, video

LATER = date(2022, 1, 13)


def drawn(selection) -> dict[str, list[str]]:
    """Country -> ids of the songs, without their filling."""
    found: dict[str, list[str]] = {}
    for song in selection.songs.to_pylist():
        found.setdefault(song["country"], []).append(song["song_id"].rstrip("_"))
    return found


def reasons(selection) -> dict[str, str]:
    """Id -> reason, from the drops."""
    return {row["detail"].split("_")[0]: row["reason"] for row in selection.dropped.to_pylist()}


CHARTS = rows(
    row("BR", "own", rank=5, place=6),
    row("BR", "own", rank=3, week=LATER, place=4),
    row("BR", "hit"),
    row("US", "hit"),
    row("BR", "liveb", "Tú (En Vivo)", "A & B"),
    row("US", "liveu", "TÚ", "B, A"),
    row("US", "felicito", "Te Felicito", "Shakira"),
    row("NG", "other", "Te Felicito", "Gerardo Coronel"),
)


def test_a_song_is_left_where_neither_its_video_nor_its_recording_charts_elsewhere():
    selection = select_songs(CHARTS)
    assert drawn(selection) == {"BR": ["own"], "US": ["felicito"], "NG": ["other"]}
    assert reasons(selection) == {"hit": "id_elsewhere", "liveb": "recording_elsewhere", "liveu": "recording_elsewhere"}


def test_the_rule_by_id_lets_other_uploads_pass():
    assert drawn(select_songs(CHARTS, exclusive="id")) == {
        "BR": ["liveb", "own"],
        "US": ["felicito", "liveu"],
        "NG": ["other"],
    }


def test_both_counts_are_told_whatever_the_rule():
    for rule in ("id", "recording"):
        counts = select_songs(CHARTS, exclusive=rule).counts
        assert counts["country"].to_pylist() == ["BR", "NG", "US"]
        assert counts["videos"].to_pylist() == [3, 1, 3]
        assert counts["exclusive_by_id"].to_pylist() == [2, 1, 2]
        assert counts["exclusive_by_recording"].to_pylist() == [1, 1, 1]


def test_songs_carry_first_week_peak_and_weeks_and_no_url():
    songs = select_songs(CHARTS).songs
    assert songs.schema == SONGS
    assert songs.to_pylist()[0] == {
        "song_id": video("own"),
        "title": "Title of own",
        "artist": "Someone",
        "country": "BR",
        "url": None,
        "start_s": None,
        "first_chart_week": WEEK,
        "peak_rank": 3,
        "weeks_on_chart": 2,
    }


def test_of_two_uploads_in_one_country_the_one_that_charted_longest_stands_for_both():
    made = [row("BR", "short", "Same", rank=1), row("BR", "long", "Same (Live)", rank=9)]
    selection = select_songs(rows(*made, row("BR", "long", "Same (Live)", rank=8, week=LATER)))
    assert drawn(selection) == {"BR": ["long"]}
    assert reasons(selection) == {"short": "other_upload"}
    assert drawn(select_songs(rows(*made))) == {"BR": ["short"]}  # equally long: the better peak


def test_a_short_country_is_reported_and_never_filled():
    made = [row("BR", f"b{i}") for i in range(5)] + [row("US", f"u{i}") for i in range(2)]
    selection = select_songs(rows(*made), per_country=3)
    assert Counter(selection.songs["country"].to_pylist()) == {"BR": 3, "US": 2}
    assert selection.counts.select(["country", "pool", "drawn", "short"]).to_pylist() == [
        {"country": "BR", "pool": 5, "drawn": 3, "short": 0},
        {"country": "US", "pool": 2, "drawn": 2, "short": 1},
    ]


def test_the_draw_is_by_seed_and_id():
    made = [row("BR", f"b{i}") for i in range(50)]
    zero, one = (drawn(select_songs(rows(*made), 20, seed)) for seed in (0, 1))
    assert zero == drawn(select_songs(rows(*made[::-1]), 20, 0))
    assert zero != one
    expected = sorted((video(f"b{i}") for i in range(50)), key=lambda song: draw_key(song, 0))[:20]
    assert zero == {"BR": [song.rstrip("_") for song in sorted(expected)]}


def test_songs_of_another_country_do_not_move_the_draw():
    made = [row("BR", f"b{i}") for i in range(50)]
    more = [row("US", f"u{i}") for i in range(50)]
    assert drawn(select_songs(rows(*made, *more)))["BR"] == drawn(select_songs(rows(*made)))["BR"]


def test_every_song_is_drawn_about_as_often_as_others():
    """10 of 40 songs, 200 seeds: each is drawn 50 times, sd sqrt(200 * 1/4 * 3/4) = 6.1; 5 sd around it are allowed."""
    made = rows(*(row("BR", f"b{i}") for i in range(40)))
    times = Counter(song for seed in range(200) for song in drawn(select_songs(made, 10, seed))["BR"])
    assert len(times) == 40
    assert all(abs(number - 50) < 5 * 6.1 for number in times.values())


def test_every_video_is_in_the_pool_or_dropped_with_its_first_appearance():
    selection = select_songs(CHARTS, per_country=1, seed=3)
    assert selection.dropped.schema == DROPPED
    assert selection.pool.num_rows + selection.dropped.num_rows == 6
    hit = next(row for row in selection.dropped.to_pylist() if row["reason"] == "id_elsewhere")
    assert (hit["file"], hit["row"]) == ("BR.csv", 2)
    assert hit["detail"] == f"{video('hit')} | Title of hit | Someone | BR US"


def test_charts_without_rows_give_empty_tables():
    selection = select_songs(rows())
    assert [selection.songs.num_rows, selection.pool.num_rows, selection.dropped.num_rows] == [0, 0, 0]
    assert selection.counts.num_rows == 0


def test_another_rule_is_refused():
    with pytest.raises(InputError, match="exclusive 'title': the rules are recording and id"):
        select_songs(CHARTS, exclusive="title")


def test_no_songs_a_country_are_refused():
    with pytest.raises(InputError, match="0 songs a country: at least 1"):
        select_songs(CHARTS, per_country=0)


ROWS = st.builds(
    row,
    st.sampled_from(["BR", "US", "NG"]),
    st.sampled_from("abcdef"),
    st.sampled_from(["One", "ONE (Live)", "Two", "Three feat. X"]),
    st.sampled_from(["A & B", "b, a", "C"]),
    st.integers(1, 9),
    st.sampled_from([WEEK, LATER]),
)


@settings(max_examples=60)
@given(st.lists(ROWS, max_size=14), st.randoms(use_true_random=False))
def test_no_selected_song_shares_video_or_recording_with_another_country(made, randomly):
    made = list({(row["song_id"], row["country"], row["week"]): row for row in made}.values())
    selection = select_songs(rows(*made))
    for song in selection.pool.to_pylist():
        own = [row for row in made if row["song_id"] == song["song_id"]]
        keys = {(title_key(row["title"]), artist_key(row["artist"])) for row in own}
        same = [row for row in made if (title_key(row["title"]), artist_key(row["artist"])) in keys]
        assert {row["country"] for row in own + same} == {song["country"]}
    mixed = randomly.sample(made, len(made))
    assert select_songs(rows(*mixed)).songs == selection.songs
