"""Reading a built dataset folder: the tables that figures and report need, and the sound of its excerpts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from build import vocab
from build.dataset.facts import title
from build.errors import InputError
from build.tables import CELLS, RATINGS, TERMS, conform

MANIFEST = "MANIFEST.json"
SPLITS = ("train", "test")
STATISTICS = {"mean", "std", "count"}  # fields of the struct column of a language
SONG_COLUMNS = ("song_id", "title", "artist", "country", "status", "loudness_in_lufs", "loudness_out_lufs")


@dataclass(frozen=True)
class Built:
    """A built dataset. `songs` has SONG_COLUMNS, `split` and more; `names` and `tags` are by language config.

    `source` is what it was built from (sample, upstream, folder, hub). The other tables are as in `build.tables`.
    """

    title: str
    source: str
    version: str
    names: dict[str, str]
    tags: dict[str, str]
    songs: pa.Table
    terms: pa.Table
    ratings: pa.Table
    cells: pa.Table


def read_built(folder: Path) -> Built:
    """The tables of a built folder; InputError where it is none, or where a file of it cannot be read."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        rows = _rows(folder)
        languages = [field.name for field in rows.schema if _is_language(field.type)]
        terms = _table(folder, "terms/*.parquet", TERMS)
        return Built(
            title=title(manifest["source"]),
            source=manifest["source"],
            version=manifest["version"],
            names={config: _known(config).name for config in languages},
            tags={config: _known(config).tag for config in languages},
            songs=rows.drop_columns(languages),
            terms=terms,
            ratings=_table(folder, "ratings/*.parquet", RATINGS),
            cells=pa.concat_tables([CELLS.empty_table(), *(_cells(rows, terms, config) for config in languages)]),
        )
    except FileNotFoundError as error:
        raise InputError(
            f"{folder}: no {MANIFEST}, so this is no built dataset; `python -m build run` makes one"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder}: cannot be read ({error}); see `python -m build validate {folder}`") from error


def read_excerpts(folder: Path) -> Iterator[tuple[str, bytes]]:
    """(song id, bytes of its sound file) of the songs that have sound, a row group at a time."""
    for path, _ in _shards(folder):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["song_id", "audio"], batch_size=8):
                for row in batch.to_pylist():
                    if row["audio"] is not None:
                        yield row["song_id"], row["audio"]["bytes"]


def _shards(folder: Path) -> Iterator[tuple[Path, str]]:
    return ((path, split) for split in SPLITS for path in sorted(folder.glob(f"data/{split}-*.parquet")))


def _rows(folder: Path) -> pa.Table:
    """The song rows of both splits without their sound, in order of song id."""
    parts = []
    for path, split in _shards(folder):
        with pq.ParquetFile(path) as file:
            part = file.read([name for name in file.schema_arrow.names if name != "audio"]).replace_schema_metadata()
        parts.append(part.append_column("split", pa.array([split] * len(part), pa.string())))
    if not parts:
        raise ValueError("no song shards under data/")
    rows = pa.concat_tables(parts).sort_by("song_id")
    if missing := [name for name in SONG_COLUMNS if name not in rows.column_names]:
        raise ValueError(f"songs without the column {missing[0]!r}")
    return rows


def _table(folder: Path, pattern: str, schema: pa.Schema) -> pa.Table:
    parts = [conform(pq.read_table(path), schema) for path in sorted(folder.glob(pattern))]
    return pa.concat_tables([schema.empty_table(), *parts])


def _is_language(kind: pa.DataType) -> bool:
    return pa.types.is_struct(kind) and {kind.field(i).name for i in range(kind.num_fields)} == STATISTICS


def _known(config: str) -> vocab.Language:
    for language in vocab.languages():
        if language.config == config:
            return language
    raise ValueError(f"language {config!r} is in no row of metadata/languages.csv")


def _cells(rows: pa.Table, terms: pa.Table, config: str) -> pa.Table:
    """CELLS from the lists of a language, which are in the order of its terms; none of a language without any."""
    own = terms.filter(pc.equal(terms["language"], config)).sort_by("rank")["term_id"].to_pylist()
    struct = rows[config].combine_chunks()
    lists = {name: struct.field(name) for name in ("count", "mean", "std")}
    if not own and not pc.any(pc.greater(lists["count"].flatten(), 0)).as_py():
        return CELLS.empty_table()
    if any(len(values.flatten()) != len(rows) * len(own) for values in lists.values()):
        raise ValueError(f"the lists of {config!r} are not as long as its {len(own)} terms")
    index = np.arange(len(rows) * len(own))
    every = pa.table(
        {
            "language": pa.array([config] * len(index), pa.string()),
            "song_id": rows["song_id"].take(pa.array(index // max(len(own), 1))),
            "term_id": pa.array(own, pa.string()).take(pa.array(index % max(len(own), 1))),
            **{name: values.flatten() for name, values in lists.items()},
        }
    )
    return conform(every.filter(pc.greater(every["count"], 0)), CELLS)
