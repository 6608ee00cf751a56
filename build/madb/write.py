"""Write the built folder `madb/`: shards, tables, card, benchmark file, manifest."""

from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from build import vocab
from build.dataset.manifest import content_digest, describe_files, write_manifest
from build.dataset.shards import write_table
from build.dataset.swap import replacing
from build.files import write_bytes
from build.madb import statistics
from build.madb.card import render
from build.madb.contract import CONFIGS, DIMENSIONS, FEATURES, FILES, FOLDER, NAME, SPLITS, VERSION
from build.madb.shards import track_shards, write_tracks
from build.madb.statistics import Facts
from build.scoring.benchmark import FILE as EVAL
from build.scoring.benchmark import eval_yaml

README = "README.md"
Files = Mapping[str, Mapping[str, Any]]  # path below the folder -> its sha256 and rows


def write_madb(out: Path, tracks: pa.Table, annotations: pa.Table, origin: Facts) -> Facts:
    """Build MADB beside `out`, put it in place, and return the numbers of its card.

    Parameters
    ----------
    tracks : TRACKS with the columns of `build.madb.sounds.add_sounds`
    annotations : ANNOTATIONS; without rows there is no config of that name, since `datasets` could not prepare it
    origin : `source`, `options` and `inputs` for the manifest

    Raises InputError where `out` is something else than a built folder.
    """
    with replacing(out) as folder:
        for name, shard in track_shards(tracks):
            write_tracks(folder / name, shard)
        _write_tables(folder, tracks, annotations)
        files = describe_files(folder)
        there = [config for config in CONFIGS if _files_of(config, files)]
        facts = facts_of(tracks, annotations, _counts(there, files))
        digests = {config: content_digest(files, _files_of(config, files)) for config in there}
        columns = vocab.read_rows(FOLDER / "columns.csv", ("table", "column", "unit", "meaning"))
        card = render((FOLDER / "card.md").read_text(encoding="utf-8"), facts, columns, digests)
        write_bytes(folder / README, card.encode())
        write_bytes(folder / EVAL, eval_yaml(NAME, {"scores": SPLITS[1]}).encode())
        payloads = zip(tracks["id"].to_pylist(), tracks["audio_sha256"].to_pylist(), strict=True)
        write_manifest(folder, payloads, {"name": NAME, "version": VERSION, **origin}, describe_files(folder, files))
    return facts


def facts_of(tracks: pa.Table, annotations: pa.Table, counts: Mapping[str, Mapping[str, int]]) -> Facts:
    """The numbers of the card; `counts` is config -> split -> rows."""
    meaning = {row["name"]: row["meaning"] for row in vocab.read_rows(FOLDER / "sources.csv", ("name", "meaning"))}
    in_split = {split: pc.sum(pc.equal(tracks["split"], split)).as_py() for split in SPLITS}
    return {
        "tracks": {
            "n": tracks.num_rows,
            **in_split,
            "with_audio": tracks.num_rows - tracks["file"].null_count,
            "pure_music": pc.sum(tracks["is_pure_music"]).as_py(),
        },
        "annotations": annotations.num_rows,
        "configs": [{"name": name, "rows": CONFIGS[name], "splits": dict(splits)} for name, splits in counts.items()],
        "distributions": statistics.distributions(tracks),
        "sources": [row | {"meaning": meaning[row["source"]]} for row in statistics.by_source(tracks)],
        "correlation": statistics.correlation(tracks),
        "agreement": statistics.agreement(annotations),
        "mood": statistics.tag_counts(tracks, "mood"),
        "genre": statistics.tag_counts(tracks, "genre"),
    }


def _write_tables(folder: Path, tracks: pa.Table, annotations: pa.Table) -> None:
    dimensions = pa.Table.from_pylist(list(DIMENSIONS), FEATURES["dimensions"].arrow_schema)
    write_table(folder / "dimensions/train-00000-of-00001.parquet", FEATURES["dimensions"], dimensions)
    if not annotations.num_rows:
        return
    for split in SPLITS:
        inside = tracks.filter(pc.equal(tracks["split"], split))["id"]
        rows = annotations.filter(pc.is_in(annotations["id"], value_set=inside.combine_chunks()))
        write_table(folder / f"annotations/{split}-00000-of-00001.parquet", FEATURES["annotations"], rows)


def _files_of(config: str, files: Files, split: str | None = None) -> list[str]:
    globs = [FILES[config][split]] if split else FILES[config].values()
    return [name for name in files if any(fnmatch(name, pattern) for pattern in globs)]


def _counts(configs: list[str], files: Files) -> dict[str, dict[str, int]]:
    return {
        config: {split: sum(files[name]["rows"] for name in _files_of(config, files, split)) for split in FILES[config]}
        for config in configs
    }
