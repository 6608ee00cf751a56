"""Bits that flip and files that turn to zeros: `validate` names each, and `run` mends its caches from the source."""

import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.reliability.trial import content

SEED = 5
FLIPS = 10


def flip(path: Path, draw: random.Random) -> None:
    """Flip one bit of a file."""
    payload = bytearray(path.read_bytes())
    payload[draw.randrange(len(payload))] ^= 1 << draw.randrange(8)
    path.write_bytes(payload)


def test_ten_flipped_cached_files_are_made_again_from_the_source(server, trial, undisturbed):
    """All tracks, excerpts and their marks, and a table."""
    trial.has_worked_like(undisturbed)
    cached = [path for name in ("audio", "clips") for path in sorted((trial.work / name).iterdir())]
    cached.append(trial.work / "tables" / "clips.parquet")
    assert len(cached) == FLIPS
    whole, draw = content(trial.work / "audio") | content(trial.work / "clips"), random.Random(SEED)  # noqa: S311
    for path in cached:
        flip(path, draw)
    done, redone = trial.run_and_count(server)
    assert "fetched again, since its file is damaged: song-00, song-01, song-02" in done.output
    assert redone == {"fetched": 3, "cut": 3}
    assert content(trial.work / "audio") | content(trial.work / "clips") == whole
    assert content(trial.out) == content(undisturbed.out)


def test_a_bit_that_makes_another_number_of_a_mark_is_found(server, trial, undisturbed):
    """What an excerpt's mark says is published, and JSON with another digit is JSON too."""
    trial.has_worked_like(undisturbed)
    mark = next((trial.work / "clips").glob("*.json"))
    value = mark.read_bytes().index(b'"gain_db": ') + len(b'"gain_db": -')
    digit = next(place for place in range(value, value + 5) if chr(mark.read_bytes()[place]).isdigit())
    payload = bytearray(mark.read_bytes())
    payload[digit] ^= 1
    mark.write_bytes(payload)
    assert trial.run_and_count(server)[1] == {"fetched": 0, "cut": 1}
    assert content(trial.out) == content(undisturbed.out)


@pytest.mark.parametrize("kind", ["audio/*", "clips/*.flac", "clips/*.json", "tables/*"])
def test_files_of_zeros_in_the_cache_are_made_again(server, trial, undisturbed, kind):
    trial.has_worked_like(undisturbed)
    for path in trial.work.glob(kind):
        path.write_bytes(bytes(path.stat().st_size))
    assert trial.run(server).returncode == 0
    assert content(trial.out) == content(undisturbed.out)
    for name in ("audio", "clips"):
        assert content(trial.work / name) == content(undisturbed.work / name)


def test_a_journal_of_zeros_is_said_and_the_rest_goes_on_without_it(server, trial, undisturbed):
    trial.has_worked_like(undisturbed)
    journal = trial.work / "journal.sqlite"
    journal.write_bytes(bytes(journal.stat().st_size))
    done = trial.run(server)
    assert done.returncode == 1
    assert f"error: {journal} is no fetch journal" in done.output
    assert "move it away to start anew" in done.output
    journal.unlink()
    assert trial.run(server).returncode == 0
    assert content(trial.out) == content(undisturbed.out)


@pytest.mark.parametrize("name", ["songs", "clips"])
def test_a_damaged_table_is_named_by_the_stage_that_reads_it(server, trial, undisturbed, name):
    trial.has_worked_like(undisturbed)
    table = trial.work / "tables" / f"{name}.parquet"
    column, payload = pq.read_metadata(table).row_group(0).column(0), bytearray(table.read_bytes())
    payload[(column.dictionary_page_offset or column.data_page_offset) + column.total_compressed_size - 1] ^= 1
    table.write_bytes(payload)
    verb = {"songs": "fetch", "clips": "shards"}[name]
    source = ["--source", trial.source] if verb == "shards" else []
    out = ["--out", trial.out] if verb == "shards" else []
    done = server.run(trial.folder, verb, "--work", trial.work, *source, *out)
    assert done.returncode == 2
    assert f"{table} is damaged" in done.output
    assert "again" in done.output


def test_validate_names_each_of_ten_flipped_shards(server, trial, undisturbed):
    trial.replaces(undisturbed.out)
    draw = random.Random(SEED)  # noqa: S311 - any bits will do
    shards = sorted(str(path.relative_to(trial.out)) for path in trial.out.rglob("*.parquet"))
    flipped = draw.sample(shards, FLIPS)
    for name in flipped:
        flip(trial.out / name, draw)
    done = server.run(trial.folder, "validate", trial.out)
    assert done.returncode == 1
    assert "Traceback" not in done.output
    assert [name for name in flipped if f"  {name}: its SHA-256 is" not in done.output] == []
    assert [name for name in shards if f"  {name}: its SHA-256 is" in done.output and name not in flipped] == []
