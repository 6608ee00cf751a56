"""`build.validate.contents`: files that were made to do harm are refused before anything looks at their rows."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build import tables
from build.validate import contents
from build.validate.contents import LONGEST_TEXT, check_contents, text_columns

RATING = dict(zip(tables.RATINGS.names, ("korean", "song", 1, "term", "term", 3, 0), strict=True))
NULLABLE = pa.schema([pa.field(field.name, field.type) for field in tables.RATINGS])


def problems(path, table: pa.Table, config: str = "ratings", **options) -> list[str]:
    pq.write_table(table, path / "t.parquet", **options)
    with pq.ParquetFile(path / "t.parquet") as first:
        texts = text_columns(first)
    with pq.ParquetFile(path / "t.parquet", read_dictionary=texts) as parquet:
        return list(check_contents(parquet, config))


def ratings(**changed) -> pa.Table:
    return pa.Table.from_pylist([RATING, RATING | changed], NULLABLE)


def test_sane_rows_have_no_problem(tmp_path):
    assert problems(tmp_path, ratings()) == []


@pytest.mark.parametrize("column", tables.RATINGS.names)
def test_a_hole_where_none_may_be(tmp_path, column):
    assert problems(tmp_path, ratings(**{column: None})) == [
        f"row group 0: nulls in ['{column}'], which must be filled"
    ]


@pytest.mark.parametrize(("length", "found"), [(LONGEST_TEXT, False), (LONGEST_TEXT + 1, True)])
def test_a_text_that_is_too_long(tmp_path, length, found):
    assert bool(problems(tmp_path, ratings(term="x" * length))) == found


def test_a_small_file_of_many_large_texts_takes_little_memory(tmp_path):
    """Sixty thousand rows with the same megabyte of text are some kilobytes in a file and 60 GB as strings."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 60_000, pa.int32()), pa.array(["x" * 1_000_000]))
    columns = {name: pa.array([RATING[name]] * 60_000, NULLABLE.field(name).type) for name in NULLABLE.names}
    before = pa.total_allocated_bytes()
    found = problems(tmp_path, pa.table(columns | {"term": text}), compression="zstd")
    assert (tmp_path / "t.parquet").stat().st_size < 100_000
    assert found == [f"row group 0: texts of more than {LONGEST_TEXT} bytes in ['term']"]
    assert pa.default_memory_pool().max_memory() - before < 200_000_000


def test_a_row_group_of_too_many_rows_is_not_read(tmp_path):
    table = pa.table({name: pa.nulls(70_000, NULLABLE.field(name).type) for name in NULLABLE.names})
    assert problems(tmp_path, table) == ["row group 0 has 70000 rows, more than 65536"]


def test_a_file_of_more_rows_than_fit_into_memory_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "MOST_ROWS", 3)
    table = pa.concat_tables([ratings(), ratings()])
    assert problems(tmp_path, table, row_group_size=1) == ["it has 4 rows, more than 3"]


def test_a_row_group_holds_few_songs(tmp_path):
    """Each may be as large as a payload can be."""
    row = {"song_id": "a", "title": "t", "artist": "a", "country": "KR", "status": "ok"}
    assert problems(tmp_path, pa.Table.from_pylist([row] * 8), "all") == []
    assert problems(tmp_path, pa.Table.from_pylist([row] * 9), "all") == ["row group 0 has 9 rows, more than 8"]


def test_text_that_is_no_utf8(tmp_path):
    bad = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe"]).buffers())
    table = pa.table({**{name: [RATING[name]] for name in NULLABLE.names}, "term": bad}, NULLABLE)
    with pytest.raises(pa.ArrowInvalid, match="UTF8"):
        problems(tmp_path, table)


@pytest.mark.parametrize("struct", [None, {"mean": None, "count": [1, 2]}])
def test_statistics_that_are_null(tmp_path, struct):
    kind = pa.struct({"mean": pa.list_(pa.float32(), 2), "count": pa.list_(pa.int16(), 2)})
    row = {"song_id": "a", "title": "t", "artist": "a", "country": "KR", "status": "ok"}
    table = pa.table({**{name: [value] for name, value in row.items()}, "korean": pa.array([struct], kind)})
    assert problems(tmp_path, table, "all") == ["row group 0: nulls in ['korean'], which must be filled"]
