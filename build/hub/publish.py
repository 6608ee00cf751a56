"""Upload a built folder to the Hub: one commit with the files of an allow-list, and a tag for its version.

`upload_folder` would split a large folder into several commits, so the upload is huggingface_hub's `create_commit`.
The token is its business alone: this module never holds it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from build.dataset.swap import MARK
from build.errors import InputError, RunError
from build.hub.published import ALLOWED, NAME
from build.hub.withhold import WITHHELD, withhold
from build.validate import validate
from build.validate.files import read_manifest

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

Say = Callable[[str], None]
DATASET = "dataset"  # the kind of repository
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


@dataclass(frozen=True)
class Parcel:
    """What will be uploaded: of `folder` the files in `sizes`. `left_out` are in the built folder and on no list."""

    folder: Path
    manifest: dict[str, Any]
    sizes: dict[str, int]  # path -> bytes
    left_out: list[str]

    @property
    def card(self) -> str:
        """The card, as people will read it on the Hub."""
        return (self.folder / "README.md").read_text(encoding="utf-8")

    @property
    def tag(self) -> str:
        """The tag of its version."""
        return f"v{self.manifest['version']}"


@contextmanager
def packed(folder: Path, with_audio: bool) -> Iterator[Parcel]:
    """Yield what is published of the built dataset in `folder`: without its audio, unless `with_audio` asks for it.

    Raises InputError where `folder` is no built dataset, does not validate, has no audio to publish, or holds a link.
    """
    manifest = read_manifest(folder)
    _require_own_files(folder)
    has_audio = bool(manifest["audio"]) and not manifest.get(WITHHELD)
    if with_audio and not has_audio:
        raise InputError(f"--with-audio: {folder} has none; build it with audio, or publish it without")
    if has_audio and not with_audio and manifest["name"] != NAME:
        raise InputError(f"{folder}: audio can be left out of {NAME} alone; build this without, or use --with-audio")
    _check(folder)
    with TemporaryDirectory() as temporary:
        chosen = folder
        if has_audio and not with_audio:
            chosen = Path(temporary) / folder.resolve().name
            withhold(folder, chosen)
        yield parcel_of(chosen, folder)


def _require_own_files(folder: Path) -> None:
    """Raise InputError where something in `folder` is a link: what lies elsewhere is not to be published by mistake."""
    links = sorted(path for path in folder.rglob("*") if path.is_symlink())
    if links:
        raise InputError(f"{links[0]}: is a link to {links[0].readlink()}; put the file itself there, or take it away")


def _check(folder: Path) -> None:
    findings = validate(folder)
    if wrong := findings.missing + findings.invalid:
        raise InputError(
            f"{folder} does not validate, so it is not published; {len(wrong)} findings, the first: {wrong[0]}; "
            f"see python -m build validate {folder}"
        )


def parcel_of(chosen: Path, built: Path) -> Parcel:
    """What is on the allow-list of the folder `chosen`, which was made of the folder `built` or is the same."""
    manifest, sizes = read_manifest(chosen), _sizes(chosen)
    sizes = {name: size for name, size in sizes.items() if _allowed(name) and _listed(name, manifest)}
    return Parcel(chosen, manifest, sizes, sorted(set(_sizes(built)) - set(sizes)))


def _sizes(folder: Path) -> dict[str, int]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}


def _allowed(name: str) -> bool:
    return any(fnmatch(name, pattern) and name.count("/") == pattern.count("/") for pattern in ALLOWED)


def _listed(name: str, manifest: dict[str, Any]) -> bool:
    return name == MARK or name in manifest["files"]


def upload(parcel: Parcel, repository: str, private: bool, say: Say) -> None:
    """Publish `parcel` as one commit and tag it. A version that is there already is left as it is.

    Files of an earlier version that this one does not have are deleted; others, such as images, stay. Raises InputError
    for a malformed name, no token, a tag that is there with other content, or a public repository where `private` is
    asked for, and RunError where the Hub refuses or cannot be reached: then the same command goes on.
    """
    from huggingface_hub import HfApi, get_token

    if not _REPOSITORY.fullmatch(repository):
        raise InputError(f"{repository}: wanted ORG/NAME, the name of a dataset repository")
    if get_token() is None:
        raise InputError("there is no token of the Hub: run `hf auth login`, or set HF_TOKEN, and repeat the command")
    try:
        _upload(HfApi(), parcel, repository, private, say)
    except InputError:
        raise
    except Exception as error:  # the transport's own classes changed twice between versions of the client
        raise RunError(
            f"{repository}: publishing failed: {error}; nothing half done is in it, the same command goes on"
        ) from error


def _upload(api: "HfApi", parcel: Parcel, repository: str, private: bool, say: Say) -> None:
    api.create_repo(repository, repo_type=DATASET, private=private or None, exist_ok=True)
    info = api.dataset_info(repository)
    if private and not info.private:
        raise InputError(f"--private: {repository} exists and is public; change that on its page, or name another")
    if _is_tagged(api, parcel, repository):
        say(f"{repository} has {parcel.tag} already, with this content")
        return
    there = api.list_repo_files(repository, repo_type=DATASET)
    commit = api.create_commit(
        repository,
        [*_additions(parcel), *_deletions(parcel, there)],
        commit_message=f"{parcel.manifest['name']} {parcel.manifest['version']}",
        repo_type=DATASET,
        parent_commit=info.sha,
    )
    api.create_tag(repository, tag=parcel.tag, revision=commit.oid, repo_type=DATASET)
    say(f"{commit.commit_url}: {len(parcel.sizes)} files, tagged {parcel.tag}")
    script = f"{repository.split('/')[1]}.py"
    if script in there:
        say(f"warning: {repository} holds {script}, so `datasets` 4 and later refuse to load it; delete that file")


def _is_tagged(api: "HfApi", parcel: Parcel, repository: str) -> bool:
    """Whether the version's tag is there with the same content; raises InputError where it is with another."""
    tags = api.list_repo_refs(repository, repo_type=DATASET).tags
    if parcel.tag not in [tag.name for tag in tags]:
        return False
    published = api.hf_hub_download(repository, MARK, repo_type=DATASET, revision=parcel.tag)
    if Path(published).read_bytes() == (parcel.folder / MARK).read_bytes():
        return True
    raise InputError(
        f"{repository} has {parcel.tag} already, with other content, and a tag is never moved: "
        "raise VERSION in globalmood.py and build again, or name another repository"
    )


def _additions(parcel: Parcel) -> "Iterator[CommitOperationAdd]":
    from huggingface_hub import CommitOperationAdd

    for name in parcel.sizes:
        yield CommitOperationAdd(name, parcel.folder / name)


def _deletions(parcel: Parcel, there: list[str]) -> "Iterator[CommitOperationDelete]":
    """What an earlier version has on the allow-list and this one does not: its shards would be read as well."""
    from huggingface_hub import CommitOperationDelete

    for name in sorted(set(there) - set(parcel.sizes)):
        if _allowed(name):
            yield CommitOperationDelete(name)
