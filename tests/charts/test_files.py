from datetime import date

import pyarrow as pa
import pytest

from build.charts.files import CHART_LINES, FILES, Charts, header_roles
from build.charts.files import read_charts as batches_of
from build.errors import InputError
from build.tables import DROPPED
from tests.charts.made import HEADER_2022, HEADER_2025, WATCH, video

BR = "youtube-charts-top-songs-br-weekly-2022-01-06.csv"
US = "youtube-charts-top-music-videos-us-weekly-20250206.csv"
COUNTRIES = {"BR", "US"}


def read_charts(*arguments) -> Charts:
    """All batches as one."""
    parts = list(batches_of(*arguments))
    return Charts(
        *(pa.concat_tables([getattr(part, name) for part in parts]) for name in ("lines", "dropped", "files"))
    )


def test_files_at_any_depth_become_lines_in_the_order_of_their_paths(tmp_path):
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / US).write_text(f"{HEADER_2025}\n1,,c,C,1,1,,u3\n2,,d\n3,,e,E,1,1,,u5\n", encoding="utf-8")
    (tmp_path / BR).write_text(f"{HEADER_2022}\n1,,a,A,1,1,,u1\n2,,b,B,1,1,,u2", encoding="utf-8-sig")
    charts = read_charts(tmp_path, COUNTRIES)
    assert charts.lines.schema == CHART_LINES
    assert [tuple(row.values()) for row in charts.lines.to_pylist()] == [
        (BR, "BR", date(2022, 1, 6), 2, "1", "a", "A", "u1"),
        (BR, "BR", date(2022, 1, 6), 3, "2", "b", "B", "u2"),
        (f"z/{US}", "US", date(2025, 2, 6), 2, "1", "c", "C", "u3"),
        (f"z/{US}", "US", date(2025, 2, 6), 4, "3", "e", "E", "u5"),
    ]
    assert charts.dropped.schema == DROPPED
    assert charts.dropped.select(["file", "row", "reason"]).to_pylist() == [
        {"file": f"z/{US}", "row": 3, "reason": "row_shape"}
    ]
    assert charts.files.schema == FILES
    assert charts.files["country"].to_pylist() == ["BR", "US"]


def test_what_is_no_chart_is_refused_by_name_and_the_rest_is_read(tmp_path):
    (tmp_path / BR).write_text(f"{HEADER_2022}\n1,,a,A,1,1,,{WATCH}{video('a')}\n", encoding="utf-8")
    (tmp_path / US).write_text("<html>sign in</html>", encoding="utf-8")
    (tmp_path / BR.replace("top-songs", "top-artists")).write_text("Rank,Artist Name\n1,A\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    charts = read_charts(tmp_path, COUNTRIES)
    assert charts.files["file"].to_pylist() == [BR]
    assert {row["file"]: (row["row"], row["reason"]) for row in charts.dropped.to_pylist()} == {
        US: (0, "html"),
        BR.replace("top-songs", "top-artists"): (0, "other_chart"),
        "notes.txt": (0, "file_name"),
    }


def test_hidden_files_and_folders_are_left_alone(tmp_path):
    (tmp_path / ".git").mkdir()
    for path in (tmp_path / ".git" / BR, tmp_path / ".DS_Store"):
        path.write_text("x", encoding="utf-8")
    assert list(batches_of(tmp_path, COUNTRIES)) == []


def test_more_files_than_a_batch_keep_their_order(tmp_path, monkeypatch):
    monkeypatch.setattr("build.charts.files.FILES_A_BATCH", 2)
    names = [f"youtube-charts-top-songs-br-weekly-202201{day:02}.csv" for day in range(1, 6)]
    for name in names:
        (tmp_path / name).write_text(f"{HEADER_2022}\n1,,{name},A,1,1,,u1\n", encoding="utf-8")
    charts = read_charts(tmp_path, COUNTRIES)
    assert charts.lines["file"].to_pylist() == charts.lines["title"].to_pylist() == names


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(InputError, match="nowhere is not a folder"):
        read_charts(tmp_path / "nowhere", COUNTRIES)


def test_headers_can_be_added_by_a_row_of_the_table(tmp_path):
    table = tmp_path / "headers.csv"
    table.write_text("role,header\nrank,Posição\ntitle,T\nartist,A\nurl,U\n", encoding="utf-8")
    (tmp_path / BR).write_text("posição,t,a,u\n7,x,y,z\n", encoding="utf-8")
    charts = read_charts(tmp_path, COUNTRIES, table)
    assert charts.lines["rank"].to_pylist() == ["7"]


def test_a_role_that_is_not_read_is_an_error(tmp_path):
    table = tmp_path / "headers.csv"
    table.write_text("role,header\nrank,Rank\nviews,Views\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"headers\.csv, row 3: role 'views' is none of rank, title, artist, url"):
        header_roles(table)
