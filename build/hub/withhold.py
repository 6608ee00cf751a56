"""A built folder without its sound: what is published by default.

Rows keep their status, window, levels and `audio_sha256`, and the manifest keeps the SHA-256 of every payload, so that
whoever makes the audio anew can compare. `audio_withheld` in the manifest says that the sound is missing on purpose.
"""

import json
from pathlib import Path

from build.dataset.swap import MARK
from build.dataset.write import write_dataset
from build.errors import InputError
from build.files import write_bytes
from build.hub.published import open_published, read_tables
from globalmood import VERSION

WITHHELD = "audio_withheld"  # key of the manifest
KEPT = ("source", "options", "inputs", "charts", "replayed_from")  # entries of the built folder's manifest


def withhold(folder: Path, out: Path) -> None:
    """Write the built dataset in `folder` to `out` with every `audio` null.

    Raises InputError where `folder` is no built dataset, not what its manifest says, or of another version.
    """
    built = open_published(str(folder))
    if built.manifest["version"] != VERSION:
        raise InputError(f"{folder}: built by version {built.manifest['version']}, this is {VERSION}; build it again")
    origin = {name: built.manifest[name] for name in KEPT if name in built.manifest}
    write_dataset(out, read_tables(built), {**origin, WITHHELD: True})
    _keep(out, built.manifest["packages"])


def _keep(out: Path, packages: dict[str, str]) -> None:
    """Have the manifest tell what made the payloads, not what left them out."""
    manifest = json.loads((out / MARK).read_bytes())
    told = json.dumps(manifest | {"packages": packages}, indent=1, ensure_ascii=False) + "\n"
    write_bytes(out / MARK, told.encode())
