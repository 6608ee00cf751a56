"""`build.sources.songs`: every song list either works or gives one error that names file and row."""

import pytest

from build.errors import InputError
from build.sources.songs import read_songs

HEADER = "videoID,iso2,country,song,artist,url,start_s"


def songs(folder, *rows: str, header: str = HEADER):
    path = folder / "songmeta_GlobalMood.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return read_songs(path, {}).to_pylist()


def row_of(folder, row: str):
    return songs(folder, row)[0]


def test_a_song_of_the_release(tmp_path):
    (song,) = songs(tmp_path, "-5_HiurjpKA,KR,South Korea,봄날,BTS,,")
    assert {key: song[key] for key in ("song_id", "title", "artist", "country", "url", "start_s")} == {
        "song_id": "-5_HiurjpKA",
        "title": "봄날",
        "artist": "BTS",
        "country": "KR",
        "url": None,
        "start_s": None,
    }


@pytest.mark.parametrize("title", ["NA", "NULL", "nan", "TRUE", " spaced ", "=1+1"])
def test_titles_keep_their_bytes(tmp_path, title):
    assert row_of(tmp_path, f"aaaaaaaaaaa,US,United States,{title},x,,")["title"] == title


def test_namibia_is_a_country(tmp_path):
    assert row_of(tmp_path, "aaaaaaaaaaa,NA,Namibia,t,x,,")["country"] == "NA"


def test_country_may_be_a_name(tmp_path):
    assert songs(tmp_path, "aaaaaaaaaaa,t,x,South Korea", header="videoID,title,artist,country")[0]["country"] == "KR"


@pytest.mark.parametrize(
    "address",
    [
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        "watch?v=dQw4w9WgXcQ",
        "https://youtu.be/dQw4w9WgXcQ?t=3",
        "https://www.youtube.com/shorts/dQw4w9WgXcQ",
        "https://music.youtube.com/watch?v=dQw4w9WgXcQ&list=PL123",
    ],
)
def test_the_address_of_a_video_stands_for_its_id(tmp_path, address):
    assert row_of(tmp_path, f"{address},US,United States,t,x,,")["song_id"] == "dQw4w9WgXcQ"


def test_a_song_with_an_address_of_its_own(tmp_path):
    song = row_of(tmp_path, "my-song_1,US,United States,t,x,http://127.0.0.1:9/a.mp3,12.5")
    assert (song["song_id"], song["url"], song["start_s"]) == ("my-song_1", "http://127.0.0.1:9/a.mp3", 12.5)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("short,US,x,t,x,,", "row 2.*'short' is no YouTube id"),
        ("watch?v=,US,x,t,x,,", "row 2.*is no YouTube id"),
        (",US,x,t,x,,", "row 2"),
        ("my-song,US,x,t,x,https://www.youtube.com/watch?v=dQw4w9WgXcQ,", "row 2.*'my-song' is no YouTube id"),
        ("../../etc/passwd,US,x,t,x,http://127.0.0.1/a.mp3,", "row 2"),
        (f"{'a' * 65},US,x,t,x,http://127.0.0.1/a.mp3,", "row 2.*1 to 64"),
        ("a b,US,x,t,x,http://127.0.0.1/a.mp3,", "row 2.*1 to 64"),
        ("song,US,x,t,x,../../etc/passwd,", "row 2.*below the source folder"),
        ("song,US,x,t,x,/etc/passwd,", "row 2.*below the source folder"),
        ("song,US,x,t,x,file:///etc/passwd,", "row 2.*http"),
        ("aaaaaaaaaaa,XX,Nowhere,t,x,,", "row 2.*'XX' is no ISO 3166-1"),
        ("aaaaaaaaaaa,US,x,t,x,,soon", "row 2.*start 'soon'"),
        ("aaaaaaaaaaa,US,x,t,x,,-1", "row 2.*start '-1'"),
        ("aaaaaaaaaaa,US,x,t,x,,nan", "row 2.*start 'nan'"),
        ("aaaaaaaaaaa,US,x,t,x", "row 2: has 5 fields"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path, row, message):
    with pytest.raises(InputError, match=rf"songmeta_GlobalMood\.csv, {message}"):
        songs(tmp_path, row)


def test_an_id_twice_names_both_rows(tmp_path):
    with pytest.raises(InputError, match=r"row 3: song 'aaaaaaaaaaa' is already in row 2"):
        songs(tmp_path, "aaaaaaaaaaa,US,x,t,x,,", "https://youtu.be/aaaaaaaaaaa,KR,x,t,x,,")


def test_a_list_without_songs_is_refused(tmp_path):
    with pytest.raises(InputError, match="has a header and no songs"):
        songs(tmp_path)


def test_a_missing_column_is_named(tmp_path):
    with pytest.raises(InputError, match="no column for 'artist'"):
        songs(tmp_path, "aaaaaaaaaaa,US,t", header="videoID,iso2,title")


def test_the_real_list(shared_data):
    table = read_songs(shared_data / "globalmood" / "songmeta_GlobalMood.csv", {})
    countries = table["country"].to_pylist()
    assert (table.num_rows, len(set(countries))) == (1180, 59)
    assert all(countries.count(country) == 20 for country in set(countries))
