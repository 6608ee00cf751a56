"""Whether a release may go out: where data changed, their version is a new one and the changelog tells of it.

Data are the rows and the sound: the Parquet files of a built folder and the payloads in its manifest. Card, figures and
croissant.json follow from them and from texts, which may change without a new version.
"""

import re
import subprocess
import sys
import tarfile
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from typing import Any

from build.audio import ClipOptions
from build.dataset.swap import MARK
from build.errors import InputError, RunError
from build.madb import contract as madb
from build.options import BuildOptions
from build.pipeline import Build, Say
from build.validate.files import parse_manifest, read_manifest
from build.workspace import REPOSITORY, Workspace
from globalmood import VERSION

Manifest = dict[str, Any]
VERSIONS = {"globalmood": VERSION, madb.NAME: madb.VERSION}  # of what the code here would build
SAME = ("name", "source")  # entries that must be the same, as must all options that both manifests have
SHOWN = 20  # files or songs named a kind of change
_VERSION = re.compile(r"\d+(\.\d+)*")


def changes(before: Manifest, after: Manifest) -> list[str]:
    """What differs in the data of two manifests, a line each.

    >>> changes({"files": {"a.parquet": {"sha256": "1"}}, "audio": {}}, {"files": {}, "audio": {"s": "2"}})
    ['gone: a.parquet', 'new sound: s']
    """
    found = _differences(_tables(before), _tables(after)) + _differences(before["audio"], after["audio"], " sound")
    made = _differences(before.get("packages", {}), after.get("packages", {}), " package, which may be why")
    return found + made if found else []


def _tables(manifest: Manifest) -> dict[str, str]:
    return {name: entry["sha256"] for name, entry in manifest["files"].items() if name.endswith(".parquet")}


def _differences(before: dict[str, str], after: dict[str, str], what: str = "") -> list[str]:
    kinds = {
        "changed": [name for name in before if name in after and before[name] != after[name]],
        "gone": [name for name in before if name not in after],
        "new": [name for name in after if name not in before],
    }
    return [f"{kind}{what}: {_shown(sorted(names))}" for kind, names in kinds.items() if names]


def _shown(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def obstacles(version: str, before: str | None, has_changed: bool, changelog: str) -> list[str]:
    """What keeps `version` from being released, a sentence each.

    Parameters
    ----------
    version : of what would be released
    before : of the release that it is compared with; None for a first one
    has_changed : whether its data differ from that release's
    changelog : the text of CHANGELOG.md
    """
    found = []
    if before is not None and has_changed and _ordered(version) <= _ordered(before):
        found.append(f"the data of {before} have changed and the version is {version}: raise it in the code")
    if not described(version, changelog):
        found.append(f"CHANGELOG.md has no entry below `## {version}`: tell there what changes for users")
    return found


def described(version: str, changelog: str) -> bool:
    """Whether the changelog has a heading for `version` with at least one point below it."""
    _, *sections = re.split(r"^## ", changelog, flags=re.MULTILINE)
    own = [section for section in sections if section.split(maxsplit=1)[:1] == [version]]
    return any(re.search(r"^- \S", section, re.MULTILINE) for section in own)


def _ordered(version: str) -> list[int]:
    if not _VERSION.fullmatch(version):
        raise InputError(f"version {version!r}: wanted numbers, such as 1.0.0")
    return [int(part) for part in version.split(".")]


def released(against: str, scratch: Path) -> Manifest:
    """The manifest that `against` names: a file, a built folder, or a tag, whose sample is then built in `scratch`.

    Raises InputError where it names nothing, RunError where the build of the tag fails.
    """
    path = Path(against)
    if path.is_dir():
        return read_manifest(path)
    return parse_manifest(path) if path.is_file() else _built_at(against, scratch)


def _built_at(tag: str, scratch: Path) -> Manifest:
    git = subprocess.run(  # noqa: S603 - the tag is one argument of git
        ["git", "archive", f"refs/tags/{tag}"],  # noqa: S607 - where git is, differs
        cwd=REPOSITORY,
        capture_output=True,
        check=False,
    )
    if git.returncode:
        raise InputError(f"--against {tag}: no such file or folder, and no tag of this repository either")
    with tarfile.open(fileobj=BytesIO(git.stdout)) as archive:
        archive.extractall(scratch / "tree", filter="data")
    out = scratch / "released"
    command = [sys.executable, "-m", "build", "run", "--work", str(scratch / "released-work"), "--out", str(out)]
    run = subprocess.run(command, cwd=scratch / "tree", capture_output=True, text=True, check=False)  # noqa: S603 - ours
    if run.returncode:
        raise RunError(f"--against {tag}: its sample cannot be built here: {run.stderr.strip().splitlines()[-1:]}")
    return read_manifest(out)


def regenerate(like: Manifest | None, scratch: Path, say: Say) -> Path:
    """Build the sample from nothing, with the options of the manifest `like` where there is one; the built folder.

    Raises InputError where `like` is of something else than the sample, which only its maker can build again.
    """
    if like is not None and like.get("source") != "sample":
        raise InputError(f"the manifest is of the source {like.get('source')!r}: build that, and name it with --built")
    options = like["options"] if like else {}
    known = {field.name for field in fields(ClipOptions)} & set(options)
    chosen = BuildOptions(
        out=scratch / "built",
        audio=options.get("audio", True),
        seed=options.get("seed", 0),
        limit=options.get("limit"),
        exclude_raters=tuple(options.get("exclude_raters", ())),
        clip=ClipOptions(**{name: options[name] for name in known}),
    )
    Build(chosen, Workspace(scratch / "work"), say).run()
    return chosen.out


def require_comparable(before: Manifest | None, after: Manifest) -> None:
    """Raise InputError where `after` was not built by the code here, or not from the same as `before`."""
    version = VERSIONS.get(str(after.get("name")))
    if version is None or after.get("version") != version:
        raise InputError(f"{MARK} is of version {after.get('version')!r} and the code of {version!r}: build it again")
    if before is None:
        return
    made = [{name: manifest.get(name) for name in SAME} | manifest.get("options", {}) for manifest in (before, after)]
    for name in (name for name in made[0] if name in made[1]):
        if made[0][name] != made[1][name]:
            told = f"{made[0][name]!r} and {made[1][name]!r}"
            raise InputError(f"the manifests differ in {name!r} ({told}): compare with what was built from the same")
