from collections import Counter

import pytest

from build.charts import chart_history, charts_here, describe, select_songs, songs_from_charts
from build.errors import InputError
from tests.charts.made import HEADER_2022, WATCH, row, rows, video
from tests.elicitation.drawn import draw_sample

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
    assert "countries with gaps: BR 1/365, US 1/365" in told
    assert "countries without any chart: AE AR" in told


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


def test_songs_of_a_list_get_their_history_from_charts_and_others_keep_what_they_have(folder):
    songs = select_songs(rows(row("BR", "b", rank=7), row("BR", "z", rank=8))).songs
    found = {song["song_id"]: song for song in chart_history(songs, folder).to_pylist()}
    assert (found[video("b")]["peak_rank"], found[video("b")]["weeks_on_chart"]) == (1, 1)
    assert (found[video("z")]["peak_rank"], found[video("z")]["title"]) == (8, "Title of z")


@pytest.fixture(scope="module")
def real(shared_data):
    return songs_from_charts(shared_data / "charts")


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


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    return folder, draw_sample(folder).truth["truth_songs.parquet"].sort_by("song_id")


def test_the_songs_of_the_sample_are_found_with_their_weeks_and_peaks(sample):
    """What is drawn from the charts is what their maker put in: 118 songs, and no recording that has two uploads."""
    folder, truth = sample
    songs = songs_from_charts(folder / "charts").selection.songs.sort_by("song_id")
    columns = ["song_id", "first_chart_week", "peak_rank", "weeks_on_chart"]
    assert songs.select(columns).to_pylist() == truth.select(columns).to_pylist()


def test_by_id_alone_the_samples_second_uploads_pass_as_songs(sample):
    folder, truth = sample
    by_id = songs_from_charts(folder / "charts", exclusive="id").selection
    more = set(by_id.songs["song_id"].to_pylist()) - set(truth["song_id"].to_pylist())
    assert (by_id.songs.num_rows, len(more)) == (130, 12)
    uploads = by_id.songs.filter([song in more for song in by_id.songs["song_id"].to_pylist()])
    assert all("two uploads" in title.casefold() for title in uploads["title"].to_pylist())
