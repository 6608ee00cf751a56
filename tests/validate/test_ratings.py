"""`build.validate.ratings`: what a file of ratings claims to hold does not have to fit into memory."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq

from build import tables
from build.validate.ratings import check_ratings
from build.workspace import REPOSITORY

RATING = dict(zip(tables.RATINGS.names, ("korean", "song", 1, "term", "term", 3, 0), strict=True))
NAME = "ratings/korean-train-00000-of-00001.parquet"
ROWS = 1_000_000


def write(folder, change: dict[int, dict]) -> None:
    """ROWS ratings that are all the same but for those changed."""
    (folder / "ratings").mkdir()
    rows = pa.Table.from_pylist([RATING], tables.RATINGS)
    table = rows.take(pa.array([0] * 60_000))
    with pq.ParquetWriter(folder / NAME, tables.RATINGS, compression="zstd") as writer:
        for group in range(ROWS // 60_000):
            changed = pa.Table.from_pylist([RATING | change[group]], tables.RATINGS) if group in change else rows
            writer.write_table(pa.concat_tables([changed, table]), row_group_size=100_000)


def test_what_is_wrong_is_counted_over_all_row_groups(tmp_path):
    write(tmp_path, {3: {"rating": 9}, 5: {"rating": 0}})
    [off_scale, no_song, no_term] = check_ratings(tmp_path, [NAME], [NAME])
    assert off_scale.startswith(f"{NAME}: 2 ratings off the scale of 1 to 5; the first: ")
    assert "'rating': 9" in off_scale
    assert no_song.startswith(f"{NAME}: {16 * 60_001} ratings of songs that are not in this split")
    assert no_term.startswith(f"{NAME}: {16 * 60_001} ratings of unknown terms")


def test_ratings_are_looked_at_a_row_group_at_a_time(tmp_path):
    """In a process of its own, since the most that Arrow ever held cannot be forgotten."""
    write(tmp_path, {})
    assert (tmp_path / NAME).stat().st_size < 100_000
    code = (
        "import sys, pathlib, pyarrow; from build.validate.ratings import check_ratings;"
        "folder, files = pathlib.Path(sys.argv[1]), [sys.argv[2]]; check_ratings(folder, files, files);"
        "print(pyarrow.default_memory_pool().max_memory())"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path, NAME], cwd=REPOSITORY, capture_output=True, check=True)
    assert int(done.stdout) < 20_000_000, "bytes; all rows at once take four times that"
