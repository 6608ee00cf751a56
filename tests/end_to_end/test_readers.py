"""The shards through readers that know nothing of this project."""

import hashlib
import io
import json

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
import soundfile

import globalmood


def test_duckdb_polars_and_pandas_count_the_same_rows(sample):
    for pattern in ("data/train-*.parquet", "data/test-*.parquet", "ratings/*.parquet", "terms/*.parquet"):
        files = str(sample / pattern)
        wanted = sum(pq.read_metadata(path).num_rows for path in sample.glob(pattern))
        column = pq.read_schema(next(sample.glob(pattern))).names[0]
        assert duckdb.sql(f"select count(*) from '{files}'").fetchall() == [(wanted,)]  # noqa: S608
        assert pl.scan_parquet(files).select(pl.len()).collect().item() == wanted
        assert sum(len(pd.read_parquet(path, columns=[column])) for path in sample.glob(pattern)) == wanted


def test_duckdb_reads_means_and_payloads(sample):
    query = f"select avg(korean.mean[1]), count(audio.bytes) from '{sample}/data/*.parquet'"  # noqa: S608
    ((mean, heard),) = duckdb.sql(query).fetchall()
    frame = globalmood.frame("korean", data_dir=sample)
    first = globalmood.terms("korean", data_dir=sample)["term"][0]
    assert mean == pytest.approx(frame[frame["term"] == first]["mean"].mean())
    assert heard == len(json.loads((sample / "MANIFEST.json").read_text())["audio"])


def test_payload_hashes_are_those_of_the_payloads(sample):
    row = next(
        row for row in pq.read_table(sample / "data" / "test-00000-of-00004.parquet").to_pylist() if row["audio"]
    )
    assert hashlib.sha256(row["audio"]["bytes"]).hexdigest() == row["audio_sha256"]
    assert soundfile.info(io.BytesIO(row["audio"]["bytes"])).frames == 720_000
