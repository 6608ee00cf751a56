import re
import unicodedata
from collections import defaultdict
from itertools import pairwise

import pytest

from build.synthetic.charts import HEADER, draw_charts
from build.synthetic.songs import EXTENSIONS, Song, list_songs
from build.synthetic.vocabulary import names
from build.vocab import countries

HOMES = [country for country in countries().values() if country.in_globalmood]


@pytest.fixture(scope="module")
def songs() -> list[Song]:
    return list_songs(0, HOMES, names(), list(EXTENSIONS))


@pytest.fixture(scope="module")
def charts(songs: list[Song]) -> dict[str, list[list[str]]]:
    return draw_charts(0, songs)[0]


def country_of(name: str) -> str:
    found = re.fullmatch(r"youtube-charts-top-songs-([a-z]{2})-weekly-2022-\d\d-\d\d\.csv", name)
    assert found is not None
    return found[1].upper()


def lines(charts: dict[str, list[list[str]]]) -> list[tuple[str, dict[str, str]]]:
    return [
        (country_of(name), dict(zip(rows[0], row, strict=True))) for name, rows in charts.items() for row in rows[1:]
    ]


def recording(line: dict[str, str]) -> tuple[str, frozenset[str]]:
    """Title without brackets and set of artists, read from the paper without any of the build's code."""
    title = re.sub(r"[(\[].*?[)\]]", "", unicodedata.normalize("NFKC", line["Track Name"])).strip().casefold()
    artists = re.split(r"\s*[,&]\s*", unicodedata.normalize("NFKC", line["Artist Names"]).casefold())
    return title or line["Track Name"], frozenset(artists) - {"--"}


def test_three_weeks_a_country(charts: dict[str, list[list[str]]]) -> None:
    assert len(charts) == 3 * len(HOMES)
    assert {country_of(name) for name in charts} == {home.iso2 for home in HOMES}
    assert all(rows[0] == HEADER for rows in charts.values())


def test_songs_of_one_country_by_video_and_recording_are_the_sample(charts, songs: list[Song]) -> None:
    videos, recordings = defaultdict(set), defaultdict(set)
    for country, line in lines(charts):
        videos[line["YouTube URL"].partition("v=")[2]].add(country)
        recordings[recording(line)].add(country)
    alone = {
        line["YouTube URL"].partition("v=")[2]
        for _, line in lines(charts)
        if len(recordings[recording(line)]) == 1 and len(videos[line["YouTube URL"].partition("v=")[2]]) == 1
    }
    assert alone - {""} == {song.song_id for song in songs}
    by_video = {video for video, homes in videos.items() if len(homes) == 1} - {""}
    assert len(by_video) == len(songs) + 12  # six recordings with two uploads


def test_ranks_count_up(charts) -> None:
    for rows in charts.values():
        assert [row[0] for row in rows[1:]] == [str(rank) for rank in range(1, len(rows))]


def test_previous_ranks_are_those_of_the_week_before(charts) -> None:
    for country in ("DE", "KR"):
        weeks = [rows for name, rows in sorted(charts.items()) if country_of(name) == country]
        for before, now in pairwise(weeks):
            rank = {row[7]: row[0] for row in reversed(before[1:])}
            assert all(row[1] == rank.get(row[7], "") for row in now[1:] if row[7][-1] != "=")


def test_oddities_of_real_charts_are_there(charts) -> None:
    assert any(line["YouTube URL"].endswith("watch?v=") for _, line in lines(charts))
    assert any("--" in line["Artist Names"] for _, line in lines(charts))
    assert any(len({row[7] for row in rows}) < len(rows) for rows in charts.values())


def test_runs_say_when_and_how_high_a_song_charted(charts, songs: list[Song]) -> None:
    _, runs = draw_charts(0, songs)
    assert set(runs) == {song.song_id for song in songs}
    for song in songs:
        seen = [
            (name[-14:-4], int(row[0]))
            for name, rows in sorted(charts.items())
            for row in rows[1:]
            if row[7].endswith(song.song_id)
        ]
        run = runs[song.song_id]
        assert run.first_week.isoformat() == seen[0][0]
        assert run.peak_rank == min(rank for _, rank in seen)
        assert run.weeks == len({week for week, _ in seen})
