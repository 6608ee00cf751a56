"""The front matter of a card is what `datasets` obeys on load: it may name files of this folder and nothing else."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from reprlib import Repr
from typing import Any

import yaml

README = "README.md"
SHOWN = Repr()  # YAML's aliases make of a short card what has no end when it is written out
SHOWN.maxstring = SHOWN.maxother = 200
SHOWN.maxlevel = 2
# of what a YAML of the wrong shape, or values that no type holds, may raise
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, yaml.YAMLError)


def check_card(folder: Path, files: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """What is wrong with the configs of a card, a sentence each; `files` is config -> split -> glob, as published.

    A card that is not there, or no file, is the business of `build.validate.files`: a pipe may never come to its end.
    """
    if not (folder / README).is_file():
        return
    try:
        configs = front_matter((folder / README).read_text(encoding="utf-8"))["configs"]
        listed = [(one["config_name"], part["split"], part["path"]) for one in configs for part in one["data_files"]]
        rest = [key for one in configs for key in one if key.startswith("data_") and key != "data_files"]
    except UNREADABLE as error:
        yield f"{README}: its front matter cannot be read: {type(error).__name__}: {error}"
        return
    for config, split, path in listed:
        named = isinstance(config, str) and isinstance(split, str)
        wanted = files.get(config, {}).get(split) if named else None
        if wanted is None or not (path == wanted or _are_files(path, wanted)):
            what = f"config {_shown(config)} reads {_shown(path)} as {_shown(split)}"
            yield f"{README}: {what}, which is no file of this dataset"
    if absent := set(files) - {config for config, _, _ in listed if isinstance(config, str)}:
        yield f"{README}: it has no config {min(absent)!r}"
    if rest:
        yield f"{README}: a config has {rest[0]!r}, which sends `datasets` elsewhere"


def _shown(value: Any) -> str:
    try:
        return SHOWN.repr(value)
    except ValueError:  # a number of more digits than Python writes
        return f"a {type(value).__name__}"


def _are_files(paths: Any, pattern: str) -> bool:
    """Whether these are files that a glob would find, one by one: a dataset on an object store lists them."""
    plain = isinstance(paths, list) and all(isinstance(path, str) and not set(path) & set("*?[") for path in paths)
    return bool(plain and paths) and all(fnmatch(path, pattern) and ".." not in path for path in paths)


def front_matter(card: str) -> Any:
    """The YAML between the first two lines of three dashes; raises ValueError where there is none."""
    if not card.startswith("---\n") or "\n---\n" not in card[4:]:
        raise ValueError("there is none")
    return yaml.safe_load(card[4 : card.index("\n---\n", 3)])
