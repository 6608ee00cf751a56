"""Re-read a built folder like a stranger, who trusts neither its files nor the manifest beside them."""

from pathlib import Path

from build.madb.contract import NAME as MADB
from build.validate.card import check_card
from build.validate.files import Findings, check_files, read_manifest, unlisted
from build.validate.ratings import check_ratings
from build.validate.songs import check_songs
from globalmood import FILES

__all__ = ["Findings", "validate"]


def validate(folder: Path) -> Findings:
    """Check hashes, schemas, splits, every audio payload, and that ratings and means agree; of MADB what it has.

    Raises InputError where `folder` holds no manifest to check against.
    """
    manifest = read_manifest(folder)
    if manifest.get("name") == MADB:
        from build.madb.validate import validate_madb  # which imports modules of this package

        return validate_madb(folder)
    findings = check_files(folder, manifest)
    findings.missing += unlisted(manifest, FILES)
    findings.invalid += check_card(folder, FILES)
    findings.invalid += check_songs(folder, findings.readable, manifest)
    findings.invalid += check_ratings(folder, findings.readable, manifest["files"])
    return findings
