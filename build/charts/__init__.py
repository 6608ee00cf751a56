"""Weekly YouTube chart files to songs that charted in one country only (paper section 3.2).

    folder ──read──▶ lines ──usable_rows──▶ chart rows ──select_songs──▶ songs ──stage_one──▶ songs to elicit with

A chart row is one song in one country's chart of one week (`CHART_ROWS`). Reasons for what is left out:

files, refused by name (`row` 0 in the table of drops)
    file_name         not the name of a weekly chart download of top songs or top music videos
    other_chart       a chart of artists, of days, or of anything but the songs or videos of a week
    not_a_country     the whole world's chart, or a code that metadata/countries.csv does not have
    bad_date          the name's date is not in the calendar
    empty             no line below the header, or nothing at all
    not_utf8          bytes that are not UTF-8
    html              a web page saved under the name of a chart
    no_column         a column that metadata/chart_headers.csv needs is not there, or is there twice
    malformed         quotes or lines that cannot be read as CSV
lines of a file (`row` counts from the header, which is row 1; empty lines are not counted)
    row_shape         more or fewer cells than the header
    no_rank           rank is not a whole number from 1
    no_title          no title
    no_video_id       an address without a video id
    bad_video_id      a video id that is not 11 characters of A-Z a-z 0-9 _ -
    listed_twice      the same video again in one country and week; the best rank stays
songs (file and row of their first appearance)
    id_elsewhere         the video charts in another country too
    recording_elsewhere  another upload or spelling of the recording charts in another country
    other_upload         the same recording as a video of the pool that charted longer
"""

from build.charts.folder import FromCharts, chart_history, charts_here, describe, songs_from_charts
from build.charts.names import coverage, expected_files
from build.charts.rows import CHART_LINES, CHART_ROWS, usable_rows
from build.charts.select import PER_COUNTRY, Selection, select_songs
from build.charts.stage_one import STAGE_ONE, stage_one

__all__ = [
    "CHART_LINES",
    "CHART_ROWS",
    "PER_COUNTRY",
    "STAGE_ONE",
    "FromCharts",
    "Selection",
    "chart_history",
    "charts_here",
    "coverage",
    "describe",
    "expected_files",
    "select_songs",
    "songs_from_charts",
    "stage_one",
    "usable_rows",
]
