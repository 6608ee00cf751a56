"""Re-read a built MADB folder like a stranger, who trusts neither its files nor the manifest beside them."""

import hashlib
import io
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import soundfile

from build.madb.contract import DIMENSIONS, FILES, PUBLISHED, SCORES, SOURCES, SPLITS
from build.madb.values import HIGHEST, LOWEST
from build.validate.card import check_card
from build.validate.files import Findings, all_of, check_files, read_manifest, unlisted
from build.validate.songs import problem_of_place

SOUND = ["id", "audio_sha256", "audio"]
PLACE = ["id", "source", "split", *SCORES]
PERSON = ["id", "annotator", *SCORES]
OPTIONAL = "annotations"  # the config that is not there where the source has none
BLOCK = 1 << 20  # numbers of a track in memory at a time


def validate_madb(folder: Path) -> Findings:
    """Check hashes, types, card, splits, scores, annotations and every track to its end.

    Raises InputError where `folder` holds no manifest to check against.
    """
    manifest = read_manifest(folder)
    listed = manifest["files"]
    annotated = any(name.startswith(f"{OPTIONAL}/") for name in listed)
    configs = {config: globs for config, globs in FILES.items() if annotated or config != OPTIONAL}
    findings = check_files(folder, manifest, PUBLISHED)
    findings.missing += unlisted(manifest, configs)
    shards = [name for name in findings.readable if name.startswith("scores/")]
    findings.invalid += [
        *check_card(folder, configs),
        *_check_tracks(folder, shards),
        *_check_sounds(folder, shards, manifest["audio"], all_of("scores/", listed, shards) is not None),
        *_check_annotations(folder, findings.readable, listed),
        *_check_dimensions(folder, findings.readable),
    ]
    return findings


def _split_of(name: str) -> str:
    return next(split for split in SPLITS if f"/{split}-" in name)


def _check_tracks(folder: Path, shards: list[str]) -> Iterator[str]:
    seen: dict[int, str] = {}
    for name in shards:
        table = pq.read_table(folder / name, columns=PLACE)
        yield from _check_scores(name, table)
        for row in table.select(["id", "source", "split"]).to_pylist():
            if row["id"] in seen:
                yield f"{name}: track {row['id']} is also in {seen[row['id']]}; every track stands once"
            seen[row["id"]] = name
            if row["split"] != _split_of(name):
                yield f"{name}: track {row['id']} says that it is in {row['split']}"
            if row["source"] not in SOURCES:
                yield f"{name}: track {row['id']} has the unknown source {row['source']!r}"


def _check_scores(name: str, table: pa.Table) -> Iterator[str]:
    for column in SCORES:
        off = pc.or_(pc.less(table[column], LOWEST), pc.greater(table[column], HIGHEST))
        wrong = table.filter(pc.or_kleene(off, pc.is_nan(table[column])))
        if wrong.num_rows:
            first = wrong.slice(0, 1).to_pylist()[0]
            yield f"{name}: {wrong.num_rows} rows with {column} off {LOWEST:g} to {HIGHEST:g}; the first: {first['id']}"


def _check_sounds(folder: Path, shards: list[str], digests: dict[str, str], are_all: bool) -> Iterator[str]:
    heard = Counter[str]()
    for name in shards:
        try:
            for batch in pq.ParquetFile(folder / name).iter_batches(batch_size=1, columns=SOUND):
                for row in batch.to_pylist():
                    heard[str(row["id"])] += row["audio"] is not None
                    problem = _problem(row, digests.get(str(row["id"])))
                    if problem:
                        yield f"{name}: track {row['id']}: {problem}"
        except (pa.ArrowException, OSError, ValueError) as error:  # ValueError: names that are no text
            are_all = False
            yield f"{name}: cannot be read: {error}"
    silent = sorted(set(digests) - set(+heard))
    if silent and are_all:
        yield f"scores/: {len(silent)} tracks of the manifest have no audio, among them {silent[0]}"


def _problem(row: dict[str, Any], recorded: str | None) -> str | None:
    """What is wrong with the sound of a row, or None."""
    if row["audio"] is None:
        return "it has a payload's SHA-256 and no payload" if row["audio_sha256"] else None
    if problem := problem_of_place(row["audio"], str(row["id"])):
        return problem
    digest = hashlib.sha256(row["audio"]["bytes"]).hexdigest()
    if not digest == row["audio_sha256"] == recorded:
        return f"its payload has the SHA-256 {digest}, the row has {row['audio_sha256']}, the manifest {recorded}"
    try:
        with soundfile.SoundFile(io.BytesIO(row["audio"]["bytes"])) as sound:
            size, samples = BLOCK // sound.channels, 0
            while read := len(sound.read(size, dtype="float32")):  # up to the end, whatever length it claims to have
                samples += read
    except soundfile.SoundFileError as error:
        return f"its payload does not decode: {error}"
    return None if samples else "its payload holds no samples"


def _check_annotations(folder: Path, files: list[str], listed: Collection[str]) -> Iterator[str]:
    for name in (name for name in files if name.startswith("annotations/")):
        table = pq.read_table(folder / name, columns=PERSON)
        yield from _check_scores(name, table)
        shards = all_of(f"scores/{_split_of(name)}-", listed, files)
        if shards is not None:
            tracks = {track for shard in shards for track in _ids(pq.read_table(folder / shard, columns=["id"]))}
            strangers = sorted(set(_ids(table)) - tracks)
            if strangers:
                yield f"{name}: {len(strangers)} tracks are not in this split of scores/, among them {strangers[0]}"
        pairs = Counter(zip(_ids(table), table["annotator"].to_pylist(), strict=True))
        twice = [pair for pair, count in pairs.items() if count > 1]
        if twice:
            yield f"{name}: {len(twice)} annotators stand twice at a track, among them {twice[0][1]} at {twice[0][0]}"


def _ids(table: pa.Table) -> list[int]:
    return table["id"].to_pylist()


def _check_dimensions(folder: Path, files: list[str]) -> Iterator[str]:
    for name in (name for name in files if name.startswith("dimensions/")):
        if pq.read_table(folder / name).to_pylist() != list(DIMENSIONS):
            yield f"{name}: its rows are not those of metadata/madb/dimensions.csv"
