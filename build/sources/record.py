"""What a build has read of its source, kept in the work folder so that the next one can say what has changed."""

import json
from collections.abc import Mapping
from pathlib import Path

from build.files import write_bytes

Inputs = Mapping[str, str]  # path below the source folder -> SHA-256, as `build.sources.origin.Source.inputs` gives it
SHOWN = 5  # files named a line


def keep(record: Path, root: Path, inputs: Inputs) -> None:
    """Write down in the file `record` that the tables `inputs` of the source folder `root` were built from."""
    write_bytes(record, json.dumps({"root": str(root.resolve()), "inputs": dict(inputs)}, indent=1).encode())


def changes_since(record: Path, root: Path, inputs: Inputs) -> list[str]:
    """A line for each kind of change of the tables of `root` since `record` was kept; none where it is of another."""
    try:
        kept = json.loads(record.read_bytes())
        return changes(kept["inputs"], inputs) if kept["root"] == str(root.resolve()) else []
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []  # absent or damaged: nothing is known of an earlier build


def changes(before: Inputs, after: Inputs) -> list[str]:
    """What differs between two states of a source.

    >>> changes({"a.csv": "1", "b.csv": "1"}, {"a.csv": "2"})
    ['changed: a.csv', 'gone: b.csv']
    """
    found = {
        "changed": [name for name in before if name in after and before[name] != after[name]],
        "gone": [name for name in before if name not in after],
        "new": [name for name in after if name not in before],
    }
    return [f"{kind}: {_shown(sorted(names))}" for kind, names in found.items() if names]


def _shown(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
