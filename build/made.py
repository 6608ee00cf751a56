"""How the tables of a workspace were made: what every stage was told and what it read, in a file beside them.

A manifest says what its folder was made with. Stages can be run one by one, so each leaves word for the one that
writes it. What is noted of a stage goes when it begins again, or one whose tables it reads.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from build import storage
from build.errors import InputError, RunError
from build.files import write_bytes
from build.sources import record

NAME = "made.json"
LATER = {  # stage -> itself, and those that read its tables
    "songs": ("songs", "excerpt", "terms", "ratings"),
    "excerpt": ("excerpt",),
    "terms": ("terms", "ratings"),
    "ratings": ("ratings",),
}
KINDS = ("sample", "upstream")  # sources that are no folder, whatever folders there are
Notes = dict[str, dict[str, Any]]  # stage -> what it was told, and the `source` and `inputs` of those that read any


def noted(tables: Path) -> Notes:
    """What is noted in the folder `tables`: nothing where the file is absent or damaged."""
    try:
        found = json.loads(storage.read_bytes(tables / NAME))
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def whole_notes(tables: Path) -> Notes:
    """What is noted of every stage. Raises InputError, naming the stages to run, where nothing is noted of some."""
    found = noted(tables)
    if absent := [f"`{stage}`" for stage in LATER if stage not in found]:
        raise InputError(
            f"{tables}: it is not known how these tables were made, or they are older than what they are made from: "
            f"run {', '.join(absent)}, then this again"
        )
    return found


def forget(tables: Path, stage: str) -> Notes:
    """Strike out `stage` and the stages after it; what is still noted."""
    left = {name: told for name, told in noted(tables).items() if name not in LATER[stage]}
    _write(tables, left)
    return left


def require_unchanged(notes: Notes, inputs: record.Inputs) -> None:
    """Raise RunError where a stage has read other `inputs` than the source has now."""
    for stage, told in notes.items():
        if changed := record.changes(told.get("inputs", inputs), inputs):
            raise RunError(
                f"the source was edited during the build ({'; '.join(changed)}): run the same command again, "
                f"or `{stage}` and the stages after it"
            )


@contextmanager
def noting(tables: Path, stage: str, **told: Any) -> Iterator[None]:
    """Inside the block `stage` writes its tables; `told` is noted once they are there."""
    left = forget(tables, stage)
    yield
    _write(tables, left | {stage: told})


def as_before(tables: Path, source: str | None, seed: int | None) -> dict[str, Any]:
    """Options `source`, `seed` and `urls` of a stage: as given now, or else as the stages before it had them.

    Raises InputError where both are there and differ: a manifest names one source and one seed.
    """
    before = {name: value for told in noted(tables).values() for name, value in told.items()}
    for name, given in (("source", source and address(source)), ("seed", seed)):
        if given is not None and before.get(name, given) != given:
            raise InputError(
                f"--{name} {given}: the stages before had {before[name]}; leave it out, begin again with `songs`, "
                "or name another --work"
            )
    urls = before.get("urls")
    return {
        "source": source or before.get("source", KINDS[0]),
        "seed": before.get("seed", 0) if seed is None else seed,
        "urls": Path(urls) if urls else None,
    }


def address(source: str) -> str:
    """A source as it is noted: of a folder its whole path, by which it is the same however it is given."""
    return str(Path(source).resolve()) if source not in KINDS and Path(source).is_dir() else source


def _write(tables: Path, kept: Notes) -> None:
    write_bytes(tables / NAME, json.dumps(kept, indent=1).encode())
