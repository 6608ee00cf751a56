from datetime import date

import pyarrow as pa
import pytest

from build.charts.names import RefusedError, chart_name, coverage, expected_files

COUNTRIES = {"BR", "NA", "GB"}


@pytest.mark.parametrize(
    ("name", "country", "week"),
    [
        ("youtube-charts-top-songs-br-weekly-2022-01-06.csv", "BR", date(2022, 1, 6)),
        ("youtube-charts-top-songs-na-weekly-20250206.csv", "NA", date(2025, 2, 6)),
        ("youtube-charts-top-music-videos-gb-weekly-2022-07-07.csv", "GB", date(2022, 7, 7)),
        ("YouTube-Charts-Top-Songs-BR-Weekly-20171228 (2).CSV", "BR", date(2017, 12, 28)),
    ],
)
def test_names_in_the_wild_tell_country_and_week(name, country, week):
    assert chart_name(name, COUNTRIES) == (country, week)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("youtube-charts-top-artists-br-weekly-2022-11-24.csv", "other_chart"),
        ("youtube-charts-top-songs-br-daily-20250206.csv", "other_chart"),
        ("youtube-charts-top-songs-global-weekly-20251002.csv", "not_a_country"),
        ("youtube-charts-top-songs-xx-weekly-20251002.csv", "not_a_country"),
        ("youtube-charts-top-songs-br-weekly-2022-02-30.csv", "bad_date"),
        ("youtube-charts-top-songs-br-weekly-2022-01-06.html", "file_name"),
        ("top-songs-br.csv", "file_name"),
        ("x-youtube-charts-top-songs-br-weekly-2022-01-06.csv", "file_name"),
    ],
)
def test_other_names_are_refused_with_a_reason(name, reason):
    with pytest.raises(RefusedError) as refused:
        chart_name(name, COUNTRIES)
    assert refused.value.reason == reason


def test_a_full_rebuild_needs_365_weeks_of_each_country():
    expected = expected_files(["GB", "BR"])
    assert expected.num_rows == 2 * 365
    assert expected["country"].to_pylist() == ["BR"] * 365 + ["GB"] * 365
    weeks = expected["week"].to_pylist()[:365]
    assert (weeks[0], weeks[-1]) == (date(2017, 1, 5), date(2023, 12, 28))
    assert {week.weekday() for week in weeks} == {3}  # Thursdays
    assert expected["page"][0].as_py() == "https://charts.youtube.com/charts/TopSongs/br/weekly/20170105"


def test_every_expected_name_is_one_that_is_read():
    expected = expected_files(["BR"], first=date(2017, 1, 5), last=date(2017, 3, 1)).to_pylist()
    assert len(expected) == 8
    assert all(chart_name(row["file"], COUNTRIES) == (row["country"], row["week"]) for row in expected)


def test_files_that_are_here_are_marked_and_counted():
    week = date(2017, 1, 12)
    files = pa.table({"file": ["x", "y"], "country": ["BR", "GB"], "week": [week, date(2025, 1, 2)]})
    expected = expected_files(["BR", "GB"], files, date(2017, 1, 5), date(2017, 1, 19))
    assert expected.filter(expected["here"]).select(["country", "week"]).to_pylist() == [
        {"country": "BR", "week": week}
    ]
    assert coverage(expected).to_pylist() == [
        {"country": "BR", "expected": 3, "here": 1},
        {"country": "GB", "expected": 3, "here": 0},
    ]
