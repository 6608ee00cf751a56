import pyarrow as pa
import pytest

from build.charts.rows import CHART_ROWS, best_ranks, rank_number, usable_rows, video_ids
from build.tables import DROPPED
from tests.charts.made import WATCH, line, lines, video


@pytest.mark.parametrize(
    ("text", "rank"),
    [("1", 1), ("100", 100), ("3.0", 3), (" 07 ", 7), ("0", None), ("-1", None), ("2.5", None), ("", None)],
)
def test_ranks(text, rank):
    assert rank_number(text) == rank


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (WATCH + "-5_HiurjpKA", "-5_HiurjpKA"),
        ("http://youtube.com/watch?list=PL1&v=VtKcDwz6hiM&t=3", "VtKcDwz6hiM"),
        ("https://youtu.be/VtKcDwz6hiM?si=x", "VtKcDwz6hiM"),
        (WATCH, ""),
        (WATCH + "&t=1", ""),
        ("n/a", ""),
        ("", ""),
    ],
)
def test_video_ids(url, found):
    assert video_ids(pa.array([url])).to_pylist() == [found]


@pytest.mark.parametrize(
    ("faulty", "reason"),
    [
        (line(rank="n/a"), "no_rank"),
        (line(title="  "), "no_title"),
        (line(url=WATCH), "no_video_id"),
        (line(url="n/a"), "no_video_id"),
        (line(url=WATCH + "tooshort"), "bad_video_id"),
        (line(url=WATCH + "twelvesigns_"), "bad_video_id"),
        (line(url=WATCH + "../../etc/p"), "bad_video_id"),
    ],
)
def test_a_line_that_cannot_be_used_is_dropped_with_its_reason(faulty, reason):
    good = line(url=WATCH + video("good"), row=7)
    kept, dropped = usable_rows(lines(good, {**faulty, "file": "x.csv", "row": 9}))
    assert kept["song_id"].to_pylist() == [video("good")]
    assert dropped.schema == DROPPED
    assert dropped.select(["file", "row", "reason"]).to_pylist() == [{"file": "x.csv", "row": 9, "reason": reason}]
    assert dropped["detail"][0].as_py() == " | ".join(faulty[name] for name in ("rank", "title", "url"))


def test_titles_that_look_like_missing_values_are_titles_and_unknown_artists_stay():
    made = [
        line(title=title, artist="--", url=WATCH + video(f"v{i}"))
        for i, title in enumerate(["NA", "NULL", "nan", "NO"])
    ]
    kept, dropped = usable_rows(lines(*made))
    assert kept["title"].to_pylist() == ["NA", "NULL", "nan", "NO"]
    assert kept["artist"].to_pylist() == ["--"] * 4
    assert dropped.num_rows == 0


def test_a_video_listed_twice_in_a_week_keeps_its_best_rank():
    made, _ = usable_rows(lines(line("98", row=99), line("34", row=35), line("40", row=41, country="US")))
    kept, dropped = best_ranks(made)
    assert made.schema == kept.schema == CHART_ROWS
    assert list(zip(kept["country"].to_pylist(), kept["rank"].to_pylist(), strict=True)) == [("BR", 34), ("US", 40)]
    assert dropped.to_pylist() == [{"file": "f.csv", "row": 99, "reason": "listed_twice", "detail": video("a")}]


def test_the_same_video_in_the_next_week_is_no_repetition():
    made, _ = usable_rows(lines(line(), line(week=line()["week"].replace(day=13))))
    kept, dropped = best_ranks(made)
    assert (kept.num_rows, dropped.num_rows) == (2, 0)


def test_read_is_kept_and_dropped():
    made = lines(line(), line(rank=""), line(), line(url=""), line(url=WATCH + "x"))
    made, unusable = usable_rows(pa.concat_tables([made, made]))
    kept, twice = best_ranks(made)
    assert (kept.num_rows, unusable.num_rows, twice.num_rows) == (1, 6, 3)


def test_no_lines_give_no_rows():
    made, unusable = usable_rows(lines())
    kept, twice = best_ranks(made)
    assert [table.num_rows for table in (made, unusable, kept, twice)] == [0, 0, 0, 0]
