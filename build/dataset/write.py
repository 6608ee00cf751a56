"""Write the built folder: shards, tables, card, manifest."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import yaml

from build import storage, vocab
from build.dataset import facts, shards
from build.dataset.card import render
from build.dataset.manifest import content_digest, describe_file, describe_files, write_manifest
from build.dataset.rows import song_rows, with_statistics
from build.dataset.store import BY_CONTENT, uploading, write_file
from build.dataset.swap import replacing
from build.errors import InputError, RunError, in_words
from build.files import write_bytes
from build.hub import croissant
from build.report.card import card_figures
from build.scoring import benchmark
from build.validate.files import read_manifest
from build.workers import Failure, InProcess, Workers
from build.workspace import METADATA
from globalmood import FEATURES, FILES, SPLITS, VERSION

NAME = "globalmood"  # in the manifest
README = "README.md"
IN_PROCESS = InProcess()
SHARD_LIMIT_S = 3_600.0  # for a shard of some 400 MB to be written


@dataclass(frozen=True)
class Tables:
    """What the stages made, in the schemas of `build.tables`; `dropped` are the ratings that were left out."""

    songs: pa.Table
    splits: pa.Table
    clips: pa.Table
    ratings: pa.Table
    dropped: pa.Table
    cells: pa.Table
    terms: pa.Table
    lexicon: pa.Table
    chains: pa.Table
    participants: pa.Table


@dataclass(frozen=True)
class ShardJob:
    """One song shard to write: where, the rows and cells of `build.dataset.shards.song_shards`, and TERMS."""

    folder: Path
    name: str
    rows: pa.Table
    cells: pa.Table
    terms: pa.Table


def write_dataset(out: Path, tables: Tables, origin: dict[str, Any], workers: Workers = IN_PROCESS) -> facts.Facts:
    """Build the dataset beside `out`, put it in place, and return the numbers of its card.

    `origin` goes into the manifest: `source` (sample, upstream, folder, hub), `options`, `inputs`, and `packages` where
    others than those installed made the sound. Song shards are written by `workers`. Raises InputError where `out` is
    something else than a built folder.
    """
    with uploading(out) if storage.is_remote(out) else replacing(out) as folder:
        place = out if storage.is_remote(out) else folder
        rows = song_rows(tables.songs, tables.splits, tables.clips)
        written = _write_shards(place, rows, tables, workers)
        for name, config, table in _small_tables(rows, tables):
            write = partial(shards.write_table, features=FEATURES[config], table=table)
            written.update([write_file(place, name, write)])
        figures = card_figures(origin["source"], VERSION, rows, tables.terms, tables.ratings, tables.cells)
        for figure in figures:
            write_bytes(folder / "figures" / f"{figure.name}.png", figure.image or b"")
        files = describe_files(folder, written)
        numbers = _numbers(rows, tables, origin["source"], _counts(files))
        numbers["charts"] = origin.get("charts", {})
        numbers["figures"] = [{"name": figure.name, "alt": figure.alt} for figure in figures]
        files |= describe(folder, numbers, files)
        about = {"name": NAME, "version": VERSION, **origin, "facts": numbers}
        payloads = zip(rows["song_id"].to_pylist(), rows["audio_sha256"].to_pylist(), strict=True)
        write_manifest(folder, payloads, about, files)
    return numbers


def write_shard(job: ShardJob) -> tuple[str, dict[str, Any]]:
    """Write a song shard: its name and description. Raises RunError where it cannot be written."""
    rows = with_statistics(job.rows, job.cells, job.terms)
    try:
        return write_file(job.folder, job.name, partial(shards.write_songs, rows=rows))
    except OSError as error:
        raise RunError(in_words(error)) from error


def _write_shards(folder: Path, rows: pa.Table, tables: Tables, workers: Workers) -> dict[str, dict[str, Any]]:
    jobs = (ShardJob(folder, *shard, tables.terms) for shard in shards.song_shards(rows, tables.cells))
    written: dict[str, dict[str, Any]] = {}
    for job, outcome in workers.run_each(write_shard, jobs, SHARD_LIMIT_S):
        if isinstance(outcome, Failure):
            raise RunError(f"{job.name} could not be written: {outcome.kind}, {outcome.message}")
        written.update([outcome])
        pa.default_memory_pool().release_unused()
    return written


def describe(folder: Path, numbers: facts.Facts, files: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Write card, croissant.json and eval.yaml of a built folder with these numbers and files, from `metadata/`.

    Returns the descriptions of the three.
    """
    digests = {config: _digest(config, files) for config in FILES}
    template = (METADATA / "card.md").read_text(encoding="utf-8")
    columns = vocab.read_rows(METADATA / "columns.csv", ("table", "column", "unit", "meaning"))
    card = render(template, numbers, columns, vocab.languages(), digests, paths=paths_to_read(files))
    write_bytes(folder / README, card.encode())
    rai = yaml.safe_load((METADATA / "rai.yaml").read_text(encoding="utf-8"))
    write_bytes(folder / croissant.NAME, croissant.render(numbers, files, columns, rai))
    scored = ("all", *(language.config for language in vocab.languages()))
    write_bytes(folder / benchmark.FILE, benchmark.eval_yaml(NAME, dict.fromkeys(scored, "test")).encode())
    return {name: describe_file(folder / name) for name in (README, croissant.NAME, benchmark.FILE)}


def rewrite_card(folder: Path) -> None:
    """Render the card of a built folder again, after a change of `metadata/`, from the numbers in its manifest.

    The manifest says of all other files what it said before, whatever is there now: `validate` compares the two.
    Raises InputError where `folder` is no built dataset, or of another version.
    """
    manifest = read_manifest(folder)
    if manifest.get("name") != NAME or not isinstance(manifest.get("facts"), dict):
        raise InputError(f"{folder}: no built {NAME}, whose card alone can be rendered again")
    if manifest.get("version") != VERSION:
        raise InputError(f"{folder}: built by version {manifest.get('version')}, this is {VERSION}; build it again")
    files = manifest["files"] | describe(folder, manifest["facts"], manifest["files"])
    about = {name: value for name, value in manifest.items() if name not in ("files", "audio")}
    write_manifest(folder, manifest["audio"].items(), about, files)


def _small_tables(rows: pa.Table, tables: Tables) -> Iterable[tuple[str, str, pa.Table]]:
    """(path below the built folder, config, rows) of every table without sound."""
    for name in SPLITS:
        yield f"songs/{name}-00000-of-00001.parquet", "songs", rows.filter(pc.equal(rows["split"], name))
    split = dict(zip(tables.splits["song_id"].to_pylist(), tables.splits["split"].to_pylist(), strict=True))
    for language in vocab.languages():
        ratings = tables.ratings.filter(pc.equal(tables.ratings["language"], language.config))
        for name in SPLITS:
            songs = pa.array([song_id for song_id, where in split.items() if where == name], pa.string())
            inside = ratings.filter(pc.is_in(ratings["song_id"], value_set=songs))
            yield f"ratings/{language.config}-{name}-00000-of-00001.parquet", "ratings", inside
    for config in ("terms", "lexicon", "chains", "participants"):
        yield f"{config}/train-00000-of-00001.parquet", config, getattr(tables, config)


def paths_to_read(files: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Config -> split -> what its card says to read: a glob, or the files where it would find other ones.

    Others are those of earlier builds in an object store, and files without rows beside files with some: versions 5.0
    and 5.1 of `datasets` fail where the first file is such a one.
    """
    by_content = any(BY_CONTENT.fullmatch(name) for name in files)
    return {
        config: {
            split: _path(glob, _files_of(config, split, files), files, by_content) for split, glob in globs.items()
        }
        for config, globs in FILES.items()
    }


def _path(glob: str, found: list[str], files: dict[str, dict[str, Any]], by_content: bool) -> str | list[str]:
    filled = [name for name in found if files[name]["rows"]] or found
    return filled if by_content or filled != found else glob


def _files_of(config: str, split: str, files: Iterable[str]) -> list[str]:
    return [name for name in files if fnmatch(name, FILES[config][split])]


def _counts(files: dict[str, dict[str, Any]]) -> dict[str, dict[str, int]]:
    return {
        config: {split: sum(files[name]["rows"] for name in _files_of(config, split, files)) for split in FILES[config]}
        for config in FILES
    }


def _digest(config: str, files: dict[str, dict[str, Any]]) -> str:
    return content_digest(files, [name for split in FILES[config] for name in _files_of(config, split, files)])


def _numbers(rows: pa.Table, tables: Tables, source: str, counts: dict[str, dict[str, int]]) -> facts.Facts:
    return {
        "title": facts.title(source),
        "source": source,
        "version": VERSION,
        "songs": facts.song_facts(rows),
        "loudness": facts.loudness_facts(rows),
        "ratings": facts.rating_facts(tables.ratings, tables.dropped),
        "languages": facts.language_facts(tables.ratings, tables.cells, tables.terms),
        "configs": facts.config_facts(counts),
    }
