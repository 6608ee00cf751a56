"""MADB's questions: one a dimension, about the sound, what people wrote about it, and its tags, or some of these."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from build.baselines.listening.asking import Asked, Song
from build.baselines.listening.prompts import ANSWER, aesthetics_context, aesthetics_question, prompt
from build.baselines.listening.questions import Clip, Question, clip_of
from build.baselines.material import Material
from build.baselines.sounds import Group, payloads
from build.errors import InputError
from build.madb.contract import DIMENSIONS, NAME

INPUTS = ("audio", "comments", "tags")
MOST_COMMENTS = 10  # that a model is shown


def parse_inputs(text: str) -> tuple[str, ...]:
    """`audio`, `audio,comments` or `audio,comments,tags` (the paper's three), or another choice of INPUTS."""
    chosen = tuple(part.strip() for part in text.split(","))
    if not chosen or not set(chosen) <= set(INPUTS):
        raise InputError(f"--inputs {text}: wanted some of {', '.join(INPUTS)}, separated by commas")
    return tuple(name for name in INPUTS if name in chosen)


def aesthetics_songs(
    material: Material,
    groups: Iterable[Group],
    inputs: Collection[str],
    comments: Mapping[str, Sequence[str]],
    tags: Mapping[str, str],
) -> list[Song]:
    """Everything to ask about the validation tracks that have all of `inputs`."""
    place = {song_id: group for group in groups for song_id, _ in group.content}
    has = {"audio": place, "comments": comments, "tags": tags}
    tracks = [
        track
        for track, split in zip(material.songs, material.split, strict=True)
        if split == "validation" and all(has[name].get(track) for name in inputs)
    ]
    return [
        partial(
            _questions,
            track,
            place[track] if "audio" in inputs else None,
            comments[track][:MOST_COMMENTS] if "comments" in inputs else (),
            tags[track] if "tags" in inputs else "",
        )
        for track in tracks
    ]


def _questions(track: str, group: Group | None, comments: Sequence[str], tags: str) -> Iterator[Asked]:
    sound: tuple[Clip, ...] = (clip_of(dict(payloads(group))[track]),) if group else ()
    context = aesthetics_context(comments, tags)
    reminder = prompt(NAME, "english", ANSWER)
    for row in DIMENSIONS:
        question = aesthetics_question(row["name"], row["definition"])
        yield Question(track, f"{NAME}:{row['name']}", (*sound, *context, question, reminder)), reminder
