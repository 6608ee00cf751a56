"""`build.dataset.shards`: where a song goes, and what its Parquet file looks like."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build.dataset import shards
from build.dataset.schema import arrow_schema
from build.split import shelf
from build.tables import CELLS
from globalmood import FEATURES, LANGUAGES


def rows_of(song_ids, clip=None):
    """Rows as `song_rows` makes them, sorted by shelf, all in train."""
    schema = arrow_schema(FEATURES["all"])
    unrated = {
        language.config: dict.fromkeys(("mean", "std"), [None] * 20) | {"count": [0] * 20} for language in LANGUAGES
    }
    rows = [
        {"song_id": song_id, "split": "train", "clip": clip and str(clip), "status": "ok", "fold": 0, **unrated}
        for song_id in sorted(song_ids, key=shelf)
    ]
    fields = [field for field in schema if field.name != "audio"]
    return pa.Table.from_pylist(rows, pa.schema([("split", pa.string()), ("clip", pa.string()), *fields]))


def placed(song_ids) -> dict[str, list[str]]:
    placed = shards.song_shards(rows_of(song_ids), CELLS.empty_table())
    return {name: table["song_id"].to_pylist() for name, table, _ in placed}


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "clip.flac"
    path.write_bytes(bytes(range(256)) * 4000)
    return path


def test_train_has_at_least_16_files_and_small_test_splits_4():
    assert [shards.shard_count("train", n) for n in (0, 16, 4096, 4097, 100_000)] == [16, 16, 16, 32, 512]
    assert shards.shard_count("test", 18) == 4


def test_every_song_is_in_one_shard():
    ids = [f"song-{index}" for index in range(200)]
    assert sorted(song_id for inside in placed(ids).values() for song_id in inside) == sorted(ids)


@pytest.mark.parametrize(("n_songs", "n_files"), [(0, 1), (1, 1), (200, 16)])
def test_no_file_is_empty_where_there_are_songs(n_songs, n_files):
    sizes = [
        len(inside) for name, inside in placed([f"s{index}" for index in range(n_songs)]).items() if "train" in name
    ]
    assert len(sizes) == n_files
    assert all(sizes) or not n_songs


def test_a_song_that_comes_touches_one_shard():
    ids = [f"song-{index}" for index in range(200)]
    before, after = placed(ids), placed([*ids, "newcomer"])
    assert [name for name in after if before[name] != after[name]] == [
        name for name, inside in after.items() if "newcomer" in inside
    ]


def test_cells_go_with_their_songs_and_those_of_other_songs_nowhere():
    cells = [{"language": "korean", "song_id": song, "term_id": "t", "count": 1} for song in ("a", "other", "b", "a")]
    for _, rows, about in shards.song_shards(rows_of(["a", "b", "c"]), pa.Table.from_pylist(cells, CELLS)):
        found = about["song_id"].to_pylist()
        assert found == [song for song in ("a", "b", "a") if song in rows["song_id"].to_pylist()]


def test_sound_is_stored_as_it_is_and_the_rest_is_compressed(tmp_path, clip):
    shards.write_songs(tmp_path / "a.parquet", rows_of([f"song-{index}" for index in range(20)], clip))
    parquet = pq.ParquetFile(tmp_path / "a.parquet")
    columns = [parquet.metadata.row_group(0).column(index) for index in range(parquet.metadata.num_columns)]
    compression = {column.path_in_schema: column.compression for column in columns}
    assert compression.pop("audio.bytes") == "UNCOMPRESSED"
    assert set(compression.values()) == {"ZSTD"}
    assert all(column.has_offset_index for column in columns), "page index"
    assert [parquet.metadata.row_group(index).num_rows for index in range(3)] == [8, 8, 4]


def test_audio_cells_are_bytes_with_a_stable_name_or_a_null_struct(tmp_path, clip):
    rows = rows_of(["song"], clip)
    silent = rows.set_column(rows.column_names.index("clip"), "clip", pa.array([None], pa.string()))
    shards.write_songs(tmp_path / "a.parquet", rows)
    shards.write_songs(tmp_path / "b.parquet", silent)
    assert pq.read_table(tmp_path / "a.parquet")["audio"].to_pylist() == [
        {"bytes": clip.read_bytes(), "path": "song.flac"}
    ]
    assert pq.read_table(tmp_path / "b.parquet")["audio"].is_valid().to_pylist() == [False]


def test_files_hold_the_published_types_and_the_same_bytes_each_time(tmp_path, clip):
    for name in ("a.parquet", "b.parquet"):
        shards.write_songs(tmp_path / name, rows_of(["x", "y"], clip))
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    found, wanted = pq.read_schema(tmp_path / "a.parquet"), arrow_schema(FEATURES["all"])
    assert found.equals(wanted)
    assert found.metadata == wanted.metadata


def test_a_table_without_rows_has_no_row_groups(tmp_path):
    shards.write_table(tmp_path / "a.parquet", FEATURES["terms"], arrow_schema(FEATURES["terms"]).empty_table())
    assert pq.read_metadata(tmp_path / "a.parquet").num_row_groups == 0
