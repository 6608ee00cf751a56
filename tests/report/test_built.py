import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build.errors import InputError
from build.report.built import SONG_COLUMNS, read_built, read_excerpts
from build.tables import TERMS

STATISTICS = {"mean": pa.float32(), "std": pa.float32(), "count": pa.int16()}


def write(folder, split: str, song_ids: list[str], counts: list[list[int]], sound: list[bytes | None]) -> None:
    """A shard as the build writes them, with one language of two terms; the mean of every rated cell is 2.5."""
    lists = {
        "mean": [[2.5 if count else None for count in row] for row in counts],
        "std": [[0.5 if count > 1 else None for count in row] for row in counts],
        "count": counts,
    }
    fields = [pa.field(name, pa.list_(kind, 2)) for name, kind in STATISTICS.items()]
    struct = pa.StructArray.from_arrays([pa.array(lists[field.name], field.type) for field in fields], fields=fields)
    audio = [{"bytes": content, "path": None} if content else None for content in sound]
    audio_type = pa.struct({"bytes": pa.binary(), "path": pa.string()})
    columns = dict.fromkeys(SONG_COLUMNS, song_ids)
    table = pa.table(columns | {"audio": pa.array(audio, audio_type), "korean": struct})
    path = folder / "data" / f"{split}-00000-of-00001.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, "train", ["c", "a"], [[3, 0], [1, 2]], [b"sound c", None])
    write(tmp_path, "test", ["b"], [[0, 0]], [b"sound b"])
    row = {"language": "korean", "frequency": 1, "mean_rating": 3.0, "score": 3.0, "translation": None}
    rows = [row | {"term_id": term_id, "term": term_id, "rank": rank} for term_id, rank in (("나", 2), ("가", 1))]
    (tmp_path / "terms").mkdir()
    pq.write_table(pa.Table.from_pylist(rows, TERMS), tmp_path / "terms" / "train-00000-of-00001.parquet")
    (tmp_path / "MANIFEST.json").write_text(json.dumps({"source": "sample", "version": "1.0.0"}), encoding="utf-8")
    return tmp_path


def test_songs_of_both_splits_come_sorted_and_without_sound(folder):
    songs = read_built(folder).songs
    assert songs.select(["song_id", "split"]).to_pylist() == [
        {"song_id": "a", "split": "train"},
        {"song_id": "b", "split": "test"},
        {"song_id": "c", "split": "train"},
    ]
    assert "audio" not in songs.column_names


def test_lists_become_cells_by_the_rank_of_terms(folder):
    cells = read_built(folder).cells.to_pylist()
    assert [(cell["song_id"], cell["term_id"], cell["count"], cell["mean"], cell["std"]) for cell in cells] == [
        ("a", "가", 1, 2.5, None),
        ("a", "나", 2, 2.5, 0.5),
        ("c", "가", 3, 2.5, 0.5),
    ]


def test_languages_are_the_struct_columns_with_their_names(folder):
    built = read_built(folder)
    assert (built.names, built.tags) == ({"korean": "Korean"}, {"korean": "ko-KR"})
    assert built.title == "GlobalMood (synthetic sample)"


def test_tables_that_are_not_there_are_empty(folder):
    assert read_built(folder).ratings.num_rows == 0


def test_excerpts_are_those_of_songs_with_sound(folder):
    assert list(read_excerpts(folder)) == [("c", b"sound c"), ("b", b"sound b")]


def test_a_folder_without_manifest_is_no_built_dataset(tmp_path):
    with pytest.raises(InputError, match=r"no MANIFEST\.json.*python -m build run"):
        read_built(tmp_path)


def test_a_broken_shard_is_an_error_that_names_the_folder(folder):
    (folder / "data" / "test-00000-of-00001.parquet").write_bytes(b"PAR1 broken")
    with pytest.raises(InputError, match=r"cannot be read.*python -m build validate"):
        read_built(folder)


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"source": []}'])
def test_a_broken_manifest_is_an_error(folder, content):
    (folder / "MANIFEST.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        read_built(folder)


def test_songs_without_a_column_are_an_error_that_names_it(folder):
    path = folder / "data" / "test-00000-of-00001.parquet"
    pq.write_table(pq.read_table(path).drop_columns("status"), path)
    with pytest.raises(InputError, match="status"):
        read_built(folder)


def test_a_language_that_nobody_knows_is_an_error_that_names_it(folder):
    for path in (folder / "data").iterdir():
        table = pq.read_table(path)
        pq.write_table(table.rename_columns({"korean": "klingon"}), path)
    with pytest.raises(InputError, match=r"'klingon' is in no row of metadata/languages\.csv"):
        read_built(folder)


def test_lists_of_another_length_than_the_terms_are_an_error(folder):
    pq.write_table(TERMS.empty_table(), folder / "terms" / "train-00000-of-00001.parquet")
    with pytest.raises(InputError, match="not as long as its 0 terms"):
        read_built(folder)


def test_a_language_without_terms_and_ratings_has_no_cells(folder):
    write(folder, "train", ["c", "a"], [[0, 0], [0, 0]], [None, None])
    pq.write_table(TERMS.empty_table(), folder / "terms" / "train-00000-of-00001.parquet")
    assert read_built(folder).cells.num_rows == 0


def test_the_built_sample_is_read_whole(sample):
    built = read_built(sample)
    assert built.songs.num_rows == 118
    assert built.terms.num_rows == 100
    assert len(built.names) == 5
    first = built.ratings.filter(pa.compute.field("repetition") == 0)
    assert np.sum(built.cells["count"].to_numpy()) == first.num_rows
