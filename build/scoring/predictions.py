"""Files of predictions, as people write them: CSV, Parquet or JSON, a row a song."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from build import vocab
from build.analysis.correlation import Floats
from build.errors import InputError
from build.files import sha256_of
from build.sources.textfile import read_csv

NOTHING = {"", "nan", "na", "n/a", "null", "none"}  # texts that stand for "no prediction"
FORMATS = (".csv", ".parquet", ".json")


@dataclass(frozen=True)
class Predictions:
    """Predictions as they were given: `ids` of songs, in the order of the rows, and the other columns of `table`.

    `name` is what messages call them; `sha256` is that of the file, None where there was no file.
    """

    name: str
    ids: tuple[str, ...]
    table: pa.Table
    sha256: str | None = None

    def numbers(self, column: str) -> Floats:
        """A column as float64 (rows,), NaN where nothing finite is predicted; InputError where it holds other text."""
        values = self.table[column].to_pylist()
        return np.array([self._number(value, column, row) for row, value in enumerate(values)], float)

    def _number(self, value: Any, column: str, row: int) -> float:
        if value is None or (isinstance(value, str) and value.strip().casefold() in NOTHING):
            return math.nan
        try:
            number = float(value)
        except (TypeError, ValueError):
            where = f"{self.name}, song {self.ids[row]}, column {column!r}"
            raise InputError(f"{where}: {value!r} is no number; leave it empty for no prediction") from None
        return number if math.isfinite(number) else math.nan


def read_predictions(source: Any) -> Predictions:
    """Predictions from a file, or from a pyarrow table or a pandas frame with the song ids in a column or as its index.

    Raises InputError for a file that cannot be read, without a column of song ids, or that names a song twice.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        return _identified(_read(path), str(path), sha256_of(path))
    if isinstance(source, pa.Table):
        return _identified(source, "predictions", None)
    return _identified(pa.Table.from_pandas(source), "predictions", None)


def _read(path: Path) -> pa.Table:
    if path.suffix not in FORMATS:
        raise InputError(f"{path}: predictions are a file that ends in {', '.join(FORMATS)}")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    if path.suffix == ".csv":
        return read_csv(path)
    try:
        return pq.read_table(path) if path.suffix == ".parquet" else _from_json(json.loads(path.read_bytes()), path)
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"{path}: cannot be read as {path.suffix[1:]}: {error}") from error


def _from_json(content: Any, path: Path) -> pa.Table:
    """Rows `[{"song_id": ..., TERM: 1.5}, ...]`, or songs `{SONG: {TERM: 1.5}, ...}`."""
    if isinstance(content, dict) and all(isinstance(row, dict) for row in content.values()):
        content = [{"song_id": song_id, **row} for song_id, row in content.items()]
    if not (isinstance(content, list) and all(isinstance(row, dict) for row in content)):
        raise InputError(f'{path}: wanted [{{"song_id": ..., TERM: NUMBER, ...}}, ...] or {{SONG: {{TERM: NUMBER}}}}')
    names = list(dict.fromkeys(name for row in content for name in row))
    texts = {name: [None if row.get(name) is None else str(row[name]) for row in content] for name in names}
    return pa.table({name: pa.array(column, pa.string()) for name, column in texts.items()})


def _identified(table: pa.Table, name: str, sha256: str | None) -> Predictions:
    twice = sorted({column for column in table.column_names if table.column_names.count(column) > 1})
    if twice:
        raise InputError(f"{name}: the columns {twice} stand there more than once")
    by_key = {column.strip().casefold(): column for column in table.column_names}
    accepted = [header for header in vocab.headers("songs")["song"] if header.casefold() in by_key]
    if not accepted:
        wanted = ", ".join(vocab.headers("songs")["song"])
        raise InputError(f"{name}: no column of song ids; one of {wanted} is wanted, there are {table.column_names}")
    column = by_key[accepted[0].casefold()]
    ids = tuple("" if value is None else str(value).strip() for value in table[column].to_pylist())
    first_row: dict[str, int] = {}
    for row, song_id in enumerate(ids, start=1):
        if song_id in first_row:
            raise InputError(f"{name}: song {song_id!r} is in data rows {first_row[song_id]} and {row}; give it once")
        first_row[song_id] = row
    return Predictions(name, ids, table.drop_columns(column), sha256)
