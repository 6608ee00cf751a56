"""From the authors' files to the folder `madb/`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from build.errors import InputError
from build.files import sha256_of
from build.madb.annotations import ANNOTATIONS, genres_of, read_annotations
from build.madb.annotations import LIST as ANNOTATION_LIST
from build.madb.contract import NAME
from build.madb.headers import Mapping
from build.madb.sounds import Sounds, add_sounds, find_sounds
from build.madb.statistics import Facts
from build.madb.tracks import LIST, VALIDATION, read_tracks, read_validation
from build.madb.write import write_madb
from build.sources import folder
from build.sources.origin import download_release
from build.workspace import Workspace

Say = Callable[[str], None]
SHOWN = 3  # files named in a message


@dataclass(frozen=True)
class MadbOptions:
    """What a build of MADB can be told; `audio` is where sound files lie, by default anywhere below the source."""

    source: str = "upstream"
    audio: Path | None = None
    out: Path = Path("madb")
    mapping: Mapping = field(default_factory=dict)


def build_madb(options: MadbOptions, workspace: Workspace, say: Say) -> Facts:
    """Read the source, write the folder, and return the numbers of its card.

    Raises InputError for input that cannot be used, RunError where the release cannot be downloaded.
    """
    root = _source(options.source, workspace)
    lists = _lists(root)
    tracks = read_tracks(lists["tracks"], read_validation(lists.get("validation")), options.mapping)
    annotations = _annotations(lists.get("annotations"), tracks, options.mapping, say)
    tracks = _with_genres(tracks, genres_of(annotations))
    sounds = find_sounds(_audio(options.audio, root), tracks)
    _tell(sounds, say)
    origin = {
        "source": "upstream" if options.source == "upstream" else "folder",
        "options": {},
        "inputs": {path.relative_to(root).as_posix(): sha256_of(path) for path in lists.values()},
    }
    facts = write_madb(options.out, add_sounds(tracks, sounds.files), annotations, origin)
    say(f"{options.out}: {facts['tracks']['n']} tracks, {facts['tracks']['with_audio']} with audio")
    return facts


def _source(name: str, workspace: Workspace) -> Path:
    if name == "upstream":
        return download_release(NAME, workspace.downloads / NAME)
    if not Path(name).is_dir():
        raise InputError(f"--source {name}: no such folder; it takes `upstream` or a folder that holds {LIST[0]}")
    return Path(name)


def _lists(root: Path) -> dict[str, Path]:
    """The files of a source folder, by what they list; those that are not there are left out."""
    names = {"tracks": LIST, "validation": VALIDATION, "annotations": ANNOTATION_LIST}
    found = {kind: folder.find(root, *accepted) for kind, accepted in names.items()}
    if found["tracks"] is None:
        there = sorted(item.name for item in root.iterdir())[:10]
        raise InputError(f"{root}: there is no list {' or '.join(LIST)} in it; it holds {there}")
    return {kind: path for kind, path in found.items() if path is not None}


def _annotations(path: Path | None, tracks: pa.Table, mapping: Mapping, say: Say) -> pa.Table:
    if path is None:
        say(f"annotations: the source has no {ANNOTATION_LIST[0]}, so there is no config of that name")
        return ANNOTATIONS.empty_table()
    annotations, left_out = read_annotations(path, tracks, mapping)
    say(f"annotations: {annotations.num_rows} kept; {left_out} of tracks that are not in the list")
    return annotations


def _with_genres(tracks: pa.Table, genres: dict[int, list[str]]) -> pa.Table:
    """`tracks` with the annotators' genre tags where the list has none."""
    pairs = zip(tracks["id"].to_pylist(), tracks["genre"].to_pylist(), strict=True)
    filled = pa.array([given or genres.get(track, []) for track, given in pairs], pa.list_(pa.string()))
    return tracks.set_column(tracks.column_names.index("genre"), tracks.schema.field("genre"), filled)


def _audio(given: Path | None, root: Path) -> Path:
    if given is not None and not given.is_dir():
        raise InputError(f"--audio {given}: no such folder; it takes a folder of sound files called by track id")
    return given or root


def _tell(sounds: Sounds, say: Say) -> None:
    for path, problem in sounds.unreadable.items():
        say(f"audio: {path} is left out: {problem}")
    if sounds.unknown:
        shown = ", ".join(path.name for path in sounds.unknown[:SHOWN])
        say(f"audio: {len(sounds.unknown)} files belong to no track of the list, among them {shown}")
