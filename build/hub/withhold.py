"""A built folder without its sound: what is published by default.

Rows keep their status, window, levels and `audio_sha256`, and the manifest keeps the SHA-256 of every payload, so that
whoever makes the audio anew can compare. `audio_withheld` in the manifest says that the sound is missing on purpose.
"""

from pathlib import Path

from build.dataset.write import write_dataset
from build.errors import InputError
from build.hub.published import open_published, read_tables
from globalmood import VERSION

WITHHELD = "audio_withheld"  # key of the manifest
# entries of the built folder's manifest: `packages` are those that made the payloads, not those that leave them out
KEPT = ("source", "options", "inputs", "charts", "replayed_from", "packages")


def withhold(folder: Path, out: Path) -> None:
    """Write the built dataset in `folder` to `out` with every `audio` null.

    Raises InputError where `folder` is no built dataset, not what its manifest says, or of another version.
    """
    built = open_published(str(folder))
    if built.manifest["version"] != VERSION:
        raise InputError(f"{folder}: built by version {built.manifest['version']}, this is {VERSION}; build it again")
    origin = {name: built.manifest[name] for name in KEPT if name in built.manifest}
    write_dataset(out, read_tables(built), {**origin, WITHHELD: True})
