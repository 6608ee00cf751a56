import json
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build.errors import InputError
from build.scoring.predictions import read_predictions

ROWS = [{"song_id": "-a", "glad": 1.5}, {"song_id": "b", "glad": None}]


def write(path, content):
    if path.suffix == ".parquet":
        pq.write_table(content, path)
    else:
        path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", "song_id,glad\n-a,1.5\nb,\n"),
        ("bom.csv", "\ufeffSong_ID,glad\n-a,1.5\nb,NaN\n"),
        ("p.parquet", pa.Table.from_pylist(ROWS)),
        ("rows.json", json.dumps(ROWS)),
        ("songs.json", json.dumps({"-a": {"glad": 1.5}, "b": {"glad": None}})),
        ("holes.json", json.dumps([{"id": "-a", "glad": 1.5}, {"id": "b"}])),
    ],
)
def test_every_form_gives_the_same(tmp_path, name, content):
    predictions = read_predictions(write(tmp_path / name, content))
    assert predictions.ids == ("-a", "b")
    assert predictions.numbers("glad")[0] == 1.5
    assert math.isnan(predictions.numbers("glad")[1])


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(ROWS), pd.DataFrame(ROWS).set_index("song_id"), pa.Table.from_pylist(ROWS)]
)
def test_tables_and_frames_are_read_too(frame):
    assert read_predictions(frame).ids == ("-a", "b")


def test_whole_numbers_are_ids_too():
    assert read_predictions(pa.table({"id": [12, 7], "glad": [1, 2]})).ids == ("12", "7")


def test_infinite_is_no_prediction():
    table = pa.table({"id": ["a", "b"], "glad": [math.inf, 1.0]})
    assert np.isnan(read_predictions(table).numbers("glad")).tolist() == [True, False]


def test_text_in_a_scored_column_is_named(tmp_path):
    predictions = read_predictions(write(tmp_path / "p.csv", "id,glad\na,very\n"))
    with pytest.raises(InputError, match=r"p\.csv, song a, column 'glad': 'very' is no number; leave it empty"):
        predictions.numbers("glad")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.csv", "glad\n1\n", r"no column of song ids; one of song_id, .* is wanted, there are \['glad'\]"),
        ("p.csv", "id,glad\na,1\nb,1\na,2\n", r"song 'a' is in data rows 1 and 3; give it once"),
        ("p.json", "{", "cannot be read as json"),
        ("p.json", "[1, 2]", r'wanted \[\{"song_id"'),
        ("p.txt", "id\n", r"a file that ends in \.csv, \.parquet, \.json"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message):
        read_predictions(write(tmp_path / name, content))


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_predictions(tmp_path / "nothing.csv")


def test_something_else_than_parquet_is_said(tmp_path):
    (tmp_path / "p.parquet").write_text("id,glad\n")
    with pytest.raises(InputError, match="cannot be read as parquet"):
        read_predictions(tmp_path / "p.parquet")


def test_a_column_that_stands_twice_is_said():
    with pytest.raises(InputError, match=r"\['glad'\] stand there more than once"):
        read_predictions(pa.table([["a"], [1], [2]], names=["id", "glad", "glad"]))
