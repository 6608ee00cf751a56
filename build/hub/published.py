"""A built dataset, on the Hub or in a folder, read back into the tables that it was written from."""

import re
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from build import ratings, tables
from build.dataset.swap import MARK
from build.dataset.write import Tables
from build.errors import InputError, RunError
from build.validate.files import check_files, read_manifest
from globalmood import FILES, SPLITS

NAME = "globalmood"  # in the manifest, of the dataset that is read here
SCHEME = "hub:"
ALLOWED = (
    "README.md",
    MARK,
    "croissant.json",
    "eval.yaml",
    "*/*.parquet",
    "figures/*.png",
)  # what is published, and fetched again
# entries of a manifest, beside its files and audio, and those of its `options`, with what they are
NEEDED = {"version": str, "source": str, "options": dict, "inputs": dict, "packages": dict, "facts": dict}
OPTIONS = {"seed": int, "limit": int | None, "loudness_lufs": float | int, "policy": str | None, "codec": str}
READ = ("songs", "ratings", "terms", "lexicon", "chains", "participants")  # configs whose files are read
MOST_DROPPED = 20_000_000  # ratings that may be said to have been left out, each of which is a row in memory
_REPOSITORY = re.compile(r"hub:([\w.-]+/[\w.-]+)(?:@(\S+))?", re.ASCII)


@dataclass(frozen=True)
class Published:
    """A built dataset: its folder and manifest, and of a Hub repository its name and the commit that was read."""

    root: Path
    manifest: dict[str, Any]
    repository: str | None = None
    commit: str | None = None


def is_published(source: str) -> bool:
    """Whether `source` names a Hub repository (`hub:ORG/NAME`) or a built folder, and not the files to build from."""
    return source.startswith(SCHEME) or (Path(source) / MARK).is_file()


def open_published(source: str) -> Published:
    """Open a built folder or `hub:ORG/NAME[@REVISION]`, whose files are downloaded into the cache of huggingface_hub.

    Raises InputError for another form, an unknown repository or revision, or files that are not what the manifest says,
    and RunError where the Hub cannot be reached.
    """
    if source.startswith(SCHEME):
        found = _REPOSITORY.fullmatch(source)
        if not found:
            raise InputError(f"{source}: wanted hub:ORG/NAME or hub:ORG/NAME@REVISION")
        root = _downloaded(found[1], found[2])
        published = Published(root, read_manifest(root), found[1], root.name)
    else:
        published = Published(Path(source), read_manifest(Path(source)))
    _check(published, source)
    return published


def _downloaded(repository: str, revision: str | None) -> Path:
    """The folder of a snapshot in the cache, which is named by its commit."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

    try:
        return Path(snapshot_download(repository, repo_type="dataset", revision=revision, allow_patterns=list(ALLOWED)))
    except RevisionNotFoundError as error:
        raise InputError(f"{repository} has no revision {revision!r}; its page on the Hub lists them") from error
    except RepositoryNotFoundError as error:
        raise InputError(
            f"there is no dataset {repository} on the Hub that you may read; a private one needs `hf auth login`"
        ) from error
    except Exception as error:  # the transport's own classes changed twice between versions of the client
        raise RunError(f"{repository} could not be downloaded: {error}; the same command goes on") from error


def _check(published: Published, source: str) -> None:
    manifest = published.manifest
    if manifest.get("name") != NAME:
        raise InputError(f"{source}: {MARK} names {manifest.get('name')!r}; wanted {NAME}")
    if problem := _problem(manifest):
        raise InputError(f"{source}: {MARK} {problem}; build the folder again")
    findings = check_files(published.root, manifest)
    if wrong := findings.missing + findings.invalid:
        raise InputError(f"{source}: it is not what {MARK} says ({len(wrong)} findings), the first: {wrong[0]}")


def _problem(manifest: dict[str, Any]) -> str | None:
    """What keeps a manifest from being built from, or None."""
    if absent := [key for key, kind in NEEDED.items() if not isinstance(manifest.get(key), kind)]:
        return f"has no {absent[0]!r}"
    options = manifest["options"]
    if odd := [name for name, kind in OPTIONS.items() if name in options and not isinstance(options[name], kind)]:
        return f"has {options[odd[0]]!r} as the option {odd[0]!r}"
    if "seed" not in options:
        return "has no option 'seed'"
    patterns = [pattern for config in READ for pattern in FILES[config].values()]
    if none := [pattern for pattern in patterns if not any(fnmatch(name, pattern) for name in manifest["files"])]:
        return f"lists no {none[0]}"
    return _problem_of_counts(manifest["facts"].get("ratings"))


def _problem_of_counts(facts: Any) -> str | None:
    counts = facts.get("dropped") if isinstance(facts, dict) else None
    if not isinstance(counts, dict) or not all(isinstance(count, int) and count >= 0 for count in counts.values()):
        return "has no counts of dropped ratings"
    return f"has more than {MOST_DROPPED} dropped ratings" if sum(counts.values()) > MOST_DROPPED else None


def read_tables(published: Published) -> Tables:
    """The tables of a built dataset; `clips` have no `path`, since sound is not read.

    Songs are in the order of their ids. Of the ratings that were left out only the reasons are known.
    """
    rows = _songs(published)
    answers = tables.conform(_read(published, "ratings"), tables.RATINGS)
    return Tables(
        songs=_filled(rows.drop_columns("start_s"), tables.SONGS),
        splits=_filled(rows, tables.SPLITS),
        clips=_filled(rows, tables.CLIPS),
        ratings=answers,
        dropped=_dropped(published.manifest["facts"]["ratings"]["dropped"]),
        cells=ratings.summarise(answers),
        terms=tables.conform(_read(published, "terms"), tables.TERMS),
        lexicon=tables.conform(_read(published, "lexicon"), tables.LEXICON),
        chains=tables.conform(_read(published, "chains"), tables.CHAINS),
        participants=tables.conform(_read(published, "participants"), tables.PARTICIPANTS),
    )


def _songs(published: Published) -> pa.Table:
    parts = []
    for split in SPLITS:
        part = _read(published, "songs", split)
        parts.append(part.append_column("split", pa.array([split] * part.num_rows, pa.string())))
    return pa.concat_tables(parts).sort_by("song_id")


def _read(published: Published, config: str, split: str | None = None) -> pa.Table:
    """The rows of the files that the manifest lists, and of no other: those have been looked at."""
    patterns = [pattern for name, pattern in FILES[config].items() if split in (None, name)]
    files = sorted(name for name in published.manifest["files"] if any(fnmatch(name, one) for one in patterns))
    return pa.concat_tables(pq.read_table(published.root / name) for name in files).replace_schema_metadata()


def _filled(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of `schema`, null where `rows` do not have them."""
    absent = [field for field in schema if field.name not in rows.column_names]
    full = reduce(lambda table, field: table.append_column(field, pa.nulls(table.num_rows, field.type)), absent, rows)
    return tables.conform(full, schema)


def _dropped(counts: dict[str, int]) -> pa.Table:
    """DROPPED with as many rows a reason as an earlier build counted; what they were is not published."""
    reasons = [reason for reason, count in counts.items() for _ in range(count)]
    columns = {"file": "", "row": 0, "detail": ""}
    told = {name: [value] * len(reasons) for name, value in columns.items()}
    return tables.conform(pa.table(told | {"reason": reasons}, tables.DROPPED), tables.DROPPED)
