from datetime import date

import numpy as np

from build.charts.songs import charted, countries_by_group, recording_groups
from tests.charts.made import row, rows, video

W1, W2, W3 = date(2022, 1, 6), date(2022, 1, 13), date(2022, 1, 20)


def test_first_week_peak_and_weeks_are_those_of_the_rows():
    made = rows(
        row("BR", "b", "New title", rank=2, week=W3, place=3),
        row("BR", "b", "First title", rank=9, week=W1, place=10),
        row("US", "b", "Lower in the first week", rank=10, week=W1, place=11),
        row("US", "b", "Abroad", rank=4, week=W3, place=5),
        row("BR", "a", rank=7, week=W2),
    )
    b, a = charted(made).videos.to_pylist()
    assert (a["song_id"], a["first_chart_week"], a["peak_rank"], a["weeks_on_chart"]) == (video("a"), W2, 7, 1)
    assert (b["first_chart_week"], b["peak_rank"], b["weeks_on_chart"]) == (W1, 2, 2)
    assert (b["title"], b["country"], b["file"], b["row"]) == ("First title", "BR", "BR.csv", 10)


def test_uploads_with_one_title_and_set_of_artists_are_one_recording():
    """The trap of the wild: "Tú (En Vivo)" and "Tú", two artists in either order; and two songs called Te Felicito."""
    made = rows(
        row("MX", "a", "Tú (En Vivo)", "Los Elegantes de Jerez & Grupo Firme"),
        row("US", "b", "Tú", "Grupo Firme & Los Elegantes de Jerez"),
        row("MX", "c", "Te Felicito", "Shakira & Rauw Alejandro"),
        row("US", "d", "Te Felicito", "Gerardo Coronel"),
    )
    a, b, c, d = recording_groups(charted(made))
    assert a == b
    assert len({a, c, d}) == 3


def test_spellings_of_a_video_join_the_recordings_that_they_name():
    """Video b is called One in one week and Two in another: a (One) and c (Two) are the same recording as b."""
    made = rows(row("BR", "a", "One"), row("BR", "b", "One"), row("US", "b", "Two"), row("NG", "c", "Two"))
    assert len(set(recording_groups(charted(made)))) == 1


def test_countries_of_each_group_in_order():
    made = rows(row("US", "a"), row("BR", "a"), row("BR", "a", week=W2), row("NG", "b"))
    assert countries_by_group(charted(made), np.array([0, 1])).to_pylist() == [["BR", "US"], ["NG"]]
    assert countries_by_group(charted(made), np.array([0, 0])).to_pylist() == [["BR", "NG", "US"]]


def test_no_rows_have_no_songs():
    none = charted(rows())
    assert (none.videos.num_rows, len(none.countries)) == (0, 0)
    assert len(recording_groups(none)) == 0
    assert len(countries_by_group(none, np.array([], int))) == 0


def test_rows_may_be_part_of_a_table():
    """What is sliced away stays in the dictionary of a coded column, and must not come back as a video."""
    part = rows(row("BR", "a"), row("US", "b"), row("NG", "c")).slice(1)
    found = charted(part)
    assert found.videos["song_id"].to_pylist() == [video("b"), video("c")]
    assert found.countries.to_pylist() == ["NG", "US"]
