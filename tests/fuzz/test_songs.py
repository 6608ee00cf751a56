"""Any bytes as a song list give SONGS, or an error that names the file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import split
from build.sources.songs import read_songs
from build.tables import SONGS
from tests.fuzz.files import AT_LENGTH, BRIEFLY, damaged, given_or_refused, tables, written

HEADER = ("videoID", "iso2", "song", "artist", "url", "start_s")
GOOD = (
    ("dQw4w9WgXcQ", "KR", "Title", "Artist", "", ""),
    ("a-song", "NA", "제목", "NA", "media/a.flac", "1.5"),
    ("https://youtu.be/-Y3P7WBzLSY", "Brazil", '"Quoted", title', "A & B", "", "0"),
    ("other", "EG", "x", "y", "https://host.example/a.mp3?b=c", "12"),
)
FILES = st.one_of(damaged(written(HEADER, GOOD), b"\xef\xbb\xbf" + written(HEADER, GOOD[:1])), tables(HEADER, *GOOD))


def check(content: bytes, folder) -> None:
    path = folder / "songs.csv"
    path.write_bytes(content)
    songs = given_or_refused(lambda: read_songs(path, {}), path)
    if songs is None:
        return
    assert songs.schema == SONGS
    songs.validate(full=True)
    ids = songs["song_id"].to_pylist()
    assert ids == list(dict.fromkeys(ids))
    assert sorted(split.assign(songs)["song_id"].to_pylist()) == sorted(ids)


@given(FILES)
@BRIEFLY
def test_any_bytes(scratch, content):
    check(content, scratch)


@pytest.mark.slow
@given(FILES)
@AT_LENGTH
def test_any_bytes_at_length(scratch, content):
    check(content, scratch)
