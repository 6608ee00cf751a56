import re
from collections import Counter

import pytest

from build.synthetic.songs import EXTENSIONS, Song, list_songs
from build.synthetic.vocabulary import names
from build.vocab import countries

HOMES = [country for country in countries().values() if country.in_globalmood]


@pytest.fixture(scope="module")
def songs() -> list[Song]:
    return list_songs(0, HOMES, names(), list(EXTENSIONS))


def test_two_songs_for_each_of_the_59_countries(songs: list[Song]) -> None:
    assert Counter(song.country.iso2 for song in songs) == dict.fromkeys((home.iso2 for home in HOMES), 2)
    assert len(songs) == 118


def test_ids_have_the_form_of_youtubes_and_cannot_be_theirs(songs: list[Song]) -> None:
    ids = [song.song_id for song in songs]
    assert len({song_id.casefold() for song_id in ids}) == len(ids)  # file names, also where case is ignored
    assert all(re.fullmatch("[A-Za-z0-9_-]{11}", song_id) for song_id in ids)
    assert not {song_id[-1] for song_id in ids} & set("AEIMQUYcgkosw048")
    assert sum(song_id.startswith("-") for song_id in ids) >= 5


def test_titles_that_programs_take_for_something_else_are_there(songs: list[Song]) -> None:
    assert {"NA", "NULL", "nan", "TRUE"} <= {song.title for song in songs}


def test_names_come_in_the_script_of_the_country(songs: list[Song]) -> None:
    korean = [song for song in songs if song.country.iso2 == "KR"]
    assert all("\uac00" <= song.artist[0] <= "\ud7a3" for song in korean)
    assert all("\u0590" <= song.artist[0] <= "\u05ff" for song in songs if song.country.iso2 == "IL")


def test_songs_can_be_told_apart_by_name_and_artists_have_several(songs: list[Song]) -> None:
    assert len({song.title.casefold() for song in songs}) == len(songs)
    artists = Counter(song.artist for song in songs)
    assert sum(count > 1 for count in artists.values()) > 10
    assert any(" & " in song.artist for song in songs)


def test_a_few_songs_are_spoilt(songs: list[Song]) -> None:
    assert Counter(song.audio for song in songs) == {"ok": 111, "missing": 3, "too_short": 2, "silent": 2}
    assert {song.duration_s for song in songs if song.audio == "too_short"} == {7.0}


def test_lengths_are_20_to_60_seconds(songs: list[Song]) -> None:
    lengths = [song.duration_s for song in songs if song.audio != "too_short"]
    assert 20 <= min(lengths) < 22
    assert 50 < max(lengths) <= 60


def test_all_kinds_of_file_rates_and_channels_occur(songs: list[Song]) -> None:
    assert set(Counter(song.extension for song in songs)) == set(EXTENSIONS)
    assert {song.rate_hz for song in songs} == {44_100, 48_000}
    assert {song.rate_hz for song in songs if song.extension == "webm"} == {48_000}  # all that Opus has
    assert 3 <= sum(song.channels == 1 for song in songs) <= 12


def test_published_starts_leave_room_for_an_excerpt(songs: list[Song]) -> None:
    starts = [(song.start_s, song.duration_s) for song in songs if song.start_s is not None]
    assert 5 <= len(starts) <= 15
    assert all(0 <= start_s <= duration_s - 15 for start_s, duration_s in starts)


def test_only_the_kinds_of_file_that_can_be_written_are_used() -> None:
    assert {song.extension for song in list_songs(0, HOMES, names(), ["flac", "ogg"])} == {"flac", "ogg"}


def test_another_seed_gives_other_songs(songs: list[Song]) -> None:
    other = list_songs(1, HOMES, names(), list(EXTENSIONS))
    assert not {song.song_id for song in songs} & {song.song_id for song in other}
