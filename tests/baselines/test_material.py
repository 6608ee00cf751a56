import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build.baselines.material import read_material, write_predictions
from build.errors import InputError
from build.scoring.truth import Target, read_truth


def test_material_has_the_ratings_that_are_scored(songs):
    material, truth = read_material(songs), read_truth("globalmood:all", songs)
    test = material.split == "test"
    assert tuple(np.array(material.songs)[test]) == truth.songs
    assert np.array_equal(material.rated[test], truth.rated, equal_nan=True)
    assert set(material.fold[~test]) == {0, 1, 2, 3, 4}
    assert set(material.fold[test]) == {-1}


def test_a_term_without_translation_stands_for_itself(songs):
    assert read_material(songs, ["english"]).translations[0] == "en0"


def test_only_keeps_the_songs_asked_for_in_their_order(songs):
    material = read_material(songs)
    some = material.only(["m007", "unknown", "m003"])
    assert some.songs == ("m007", "m003")
    assert np.array_equal(some.rated[1], material.rated[3], equal_nan=True)


def test_an_unknown_language_is_refused(songs):
    with pytest.raises(InputError, match="there is no language 'klingon'; there are english"):
        read_material(songs, ["klingon"])


def test_predictions_are_named_by_language_and_term(tmp_path):
    targets = [Target("korean", "a", "A"), Target("french", "b", "B")]
    write_predictions(tmp_path / "p.parquet", ["x", "y"], targets, np.array([[1.0, 2], [3, 4]]))
    assert pq.read_table(tmp_path / "p.parquet").to_pydict() == {
        "song_id": ["x", "y"], "korean:a": [1, 3], "french:b": [2, 4],
    }  # fmt: skip


def test_tracks_are_no_songs(tracks):
    with pytest.raises(InputError, match="is no built GlobalMood folder; name one with --data"):
        read_material(tracks)


def test_an_empty_term_is_refused(songs, tmp_path):
    folder = shutil.copytree(songs, tmp_path / "globalmood")
    (path,) = folder.glob("terms/*.parquet")
    rows = pq.ParquetFile(path).read()
    terms = ["" if name == "ko3" else name for name in rows["term"].to_pylist()]
    pq.write_table(rows.set_column(rows.schema.get_field_index("term"), "term", pa.array(terms)), path)
    with pytest.raises(InputError, match="the term korean:ko3 is empty; mend the list of terms, and build again"):
        read_material(folder)
