"""`release-check`: may this go out under the version that it has?"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from build.cli import app
from build.errors import RunError
from build.terminal import console, one_line
from build.workspace import REPOSITORY

CHANGELOG = REPOSITORY / "CHANGELOG.md"


@app.command("release-check")
def release_check(
    against: Annotated[
        str | None,
        typer.Option(help="The last release: its MANIFEST.json, its built folder, or a tag; none: this is the first."),
    ] = None,
    built: Annotated[
        Path | None, typer.Option(help="What would be released; without it the sample is built from nothing.")
    ] = None,
) -> None:
    """Compare what would be released with the last release. Exit code 1 if data changed without a new version.

    The new version must have an entry in CHANGELOG.md, and what would be released must validate.

    Example: `python -m build release-check --against v1.0.0`
    """
    from build import release
    from build.validate import validate
    from build.validate.files import read_manifest

    with TemporaryDirectory() as scratch:
        before = release.released(against, Path(scratch)) if against else None
        folder = built or release.regenerate(before, Path(scratch), console.print)
        after = read_manifest(folder)
        release.require_comparable(before, after)
        findings = validate(folder)
    changed = release.changes(before, after) if before else []
    console.print(f"changes of data since {before.get('version')}: {len(changed)}" if before else "first release")
    wrong = [*findings.missing, *findings.invalid, *findings.extra]
    for line in (*changed, *wrong):
        console.print(f"  {one_line(line)}")
    text = CHANGELOG.read_text(encoding="utf-8")
    found = release.obstacles(after["version"], str(before.get("version")) if before else None, bool(changed), text)
    if wrong:
        found.append(f"what would be released does not validate: {len(wrong)} findings")
    if found:
        raise RunError("; ".join(found))
    console.print(f"{after['version']} may be released")
