from collections import Counter

import pytest

from build.charts import charts_here, describe, songs_from_charts
from build.errors import InputError
from build.workspace import REPOSITORY
from tests.charts.made import HEADER_2022, REAL, WATCH, video

BR = "youtube-charts-top-songs-br-weekly-2022-01-06.csv"
US = "youtube-charts-top-songs-us-weekly-2022-01-06.csv"


@pytest.fixture
def folder(tmp_path):
    for name, songs in ((BR, "ab"), (US, "bc")):
        lines = [f"{rank},,Title {song},A,1,1,,{WATCH}{video(song)}" for rank, song in enumerate(songs, start=1)]
        (tmp_path / name).write_text("\n".join([HEADER_2022, *lines, "3,,x,A,1,1,,n/a"]), encoding="utf-8")
    (tmp_path / "youtube-charts-top-artists-us-weekly-2022-01-06.csv").write_text("Rank\n1\n", encoding="utf-8")
    return tmp_path


def test_a_folder_gives_songs_and_a_reason_for_all_that_is_left_out(folder):
    found = songs_from_charts(folder, per_country=1)
    assert found.selection.songs["song_id"].to_pylist() == [video("a"), video("c")]
    assert Counter(found.dropped["reason"].to_pylist()) == {"no_video_id": 2, "id_elsewhere": 1, "other_chart": 1}
    assert (found.rows, found.files.num_rows) == (4, 2)


def test_what_people_are_told(folder):
    told = "\n".join(describe(songs_from_charts(folder, per_country=2)))
    assert "2 files of 2 countries, 4 usable rows" in told
    assert "exclusive to one country: 2 videos by id, 2 by id and recording; the rule is recording" in told
    assert "short of songs, and not filled from elsewhere: BR 1, US 1" in told
    assert "left out: id_elsewhere 1, no_video_id 2, other_chart 1" in told
    assert "youtube-charts-top-artists-us-weekly-2022-01-06.csv: other_chart" in told
    assert "2 of the 21535 charts of a full rebuild are here" in told
    assert "BR 1/365" in told


def test_a_folder_without_a_chart_is_an_error_that_names_what_was_refused(tmp_path):
    (tmp_path / BR).write_text("<html>", encoding="utf-8")
    with pytest.raises(InputError, match=rf"holds no weekly chart file that can be read: {BR}: html"):
        songs_from_charts(tmp_path)


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(InputError, match="it is empty"):
        songs_from_charts(tmp_path)


def test_the_charts_of_a_full_rebuild_and_which_are_here(folder):
    nothing, some = charts_here(None), charts_here(folder)
    assert nothing.num_rows == some.num_rows == 59 * 365
    assert sum(nothing["here"].to_pylist()) == 0
    assert some.filter(some["here"])["country"].to_pylist() == ["BR", "US"]


@pytest.fixture(scope="module")
def real():
    if not REAL.is_dir():
        pytest.skip(f"real chart files are not in {REAL.relative_to(REPOSITORY.parent)}")
    return songs_from_charts(REAL)


def test_real_charts_give_songs_of_every_country(real):
    assert Counter(real.selection.songs["country"].to_pylist()) == {"BR": 20, "NG": 20, "US": 20}


def test_real_charts_explain_every_drop(real):
    """A video without an id in ten weeks of BR, and one song at ranks 34 and 98 of its first week."""
    unusable = real.dropped.filter(
        [reason in ("no_video_id", "listed_twice") for reason in real.dropped["reason"].to_pylist()]
    )
    week = {row["row"]: row["reason"] for row in unusable.to_pylist() if row["file"] == BR}
    assert week == {1 + 24: "no_video_id", 1 + 98: "listed_twice"}
    assert Counter(unusable["reason"].to_pylist()) == {"no_video_id": 10, "listed_twice": 1}
    assert real.rows == 1400 - 11
    assert real.selection.pool.num_rows + real.dropped.num_rows - 11 == sum(real.selection.counts["videos"].to_pylist())


def test_one_recording_charts_in_two_real_countries_under_two_ids(real):
    elsewhere = [row["detail"] for row in real.dropped.to_pylist() if row["reason"] == "recording_elsewhere"]
    assert len(elsewhere) == 2
    assert all(detail.endswith("NG US") for detail in elsewhere)
    counts = real.selection.counts
    assert sum(counts["exclusive_by_id"].to_pylist()) - sum(counts["exclusive_by_recording"].to_pylist()) == 2
