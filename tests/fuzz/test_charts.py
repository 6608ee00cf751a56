"""Any bytes as a weekly chart give chart rows, and a reason for what is left out; never an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build.charts import songs_from_charts
from build.charts.folder import chart_rows
from build.charts.rows import CHART_ROWS
from build.charts.select import PER_COUNTRY, select_songs
from build.errors import InputError
from build.tables import DROPPED, SONGS
from tests.charts.made import HEADER_2022, WATCH
from tests.fuzz.files import AT_LENGTH, BRIEFLY, damaged, tables, written

HEADER = HEADER_2022.split(",")
GOOD = (
    ("1", "2", "Song", "Someone", "3", "1000", "0.1", f"{WATCH}aaaaaaaaaaa"),
    ("2", "", "노래 (feat. X)", "A & B", "1", "900", "", f"{WATCH}bbbbbbbbbbb&t=1"),
    ("3.0", "", "NA", "--", "", "", "", "https://youtu.be/ccccccccccc"),
)
FILES = st.one_of(damaged(written(HEADER, GOOD), b"\xef\xbb\xbf" + written(HEADER, GOOD)), tables(HEADER, *GOOD))
NAME = "youtube-charts-top-songs-{}-weekly-20220106.csv"


def check(content: bytes, folder) -> None:
    charts = folder / "charts"
    charts.mkdir(exist_ok=True)
    (charts / NAME.format("br")).write_bytes(content)
    (charts / NAME.format("kr")).write_bytes(written(HEADER, GOOD[:1]))
    rows, dropped, files = chart_rows(charts)
    assert (rows.schema, dropped.schema) == (CHART_ROWS, DROPPED)
    rows.validate(full=True)
    assert files.num_rows + sum(row == 0 for row in dropped["row"].to_pylist()) == 2
    songs = select_songs(rows, PER_COUNTRY, 0, "recording").songs
    assert songs.schema == SONGS
    songs.validate(full=True)


@given(FILES)
@BRIEFLY
def test_any_bytes(scratch, content):
    check(content, scratch)


@pytest.mark.slow
@given(FILES)
@AT_LENGTH
def test_any_bytes_at_length(scratch, content):
    check(content, scratch)


def test_a_folder_of_nothing_that_can_be_read_is_named(tmp_path):
    (tmp_path / NAME.format("br")).write_bytes(b"\xff")
    with pytest.raises(InputError, match=rf"{tmp_path} holds no weekly chart file that can be read"):
        songs_from_charts(tmp_path, 20, 0, "recording")
