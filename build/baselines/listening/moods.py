"""GlobalMood's rating questions, zero-shot and few-shot (paper section 5.2)."""

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from build.baselines.listening.asking import Asked, Song
from build.baselines.listening.prompts import ANSWER, mood_example, mood_question, prompt
from build.baselines.listening.questions import Clip, Question, clip_of
from build.baselines.material import Material
from build.baselines.sounds import Group, payloads
from build.errors import InputError

EXAMPLE_TERMS = 10  # rated terms that a model is shown


def mood_songs(material: Material, groups: Iterable[Group], few_shot: bool) -> list[Song]:
    """Everything to ask about the test songs: one question a term, in the language of the term.

    Few-shot: one training song with its sound and the mean ratings of ten of its terms comes first. It is the same for
    all questions of a language, and no rating of a test song is ever shown.
    """
    test = {song for song, split in zip(material.songs, material.split, strict=True) if split == "test"}
    groups = list(groups)
    examples = _examples(material, groups) if few_shot else {}
    return [
        partial(_questions, material, group, song_id, examples)
        for group in groups
        for song_id, _ in group.content
        if song_id in test
    ]


def _questions(
    material: Material, group: Group, song_id: str, examples: dict[str, tuple[Clip, str]]
) -> Iterator[Asked]:
    clip = clip_of(dict(payloads(group))[song_id])
    for target in material.targets:
        before = examples.get(target.group, ())
        reminder = prompt("globalmood", target.group, ANSWER)
        parts = (*before, clip, mood_question(target.group, target.label), reminder)
        yield Question(song_id, f"{target.group}:{target.key}", parts), reminder


def _examples(material: Material, groups: list[Group]) -> dict[str, tuple[Clip, str]]:
    """Language -> the sound of its example song, and the sentence that tells its ratings."""
    place = {song_id: group for group in groups for song_id, _ in group.content}
    examples = {}
    for language in dict.fromkeys(target.group for target in material.targets):
        columns = [index for index, target in enumerate(material.targets) if target.group == language]
        song = example_song(material, columns, frozenset(place))
        ratings = example_ratings(material, columns, song)
        song_id = material.songs[song]
        examples[language] = (clip_of(dict(payloads(place[song_id]))[song_id]), mood_example(language, ratings))
    return examples


def example_song(material: Material, columns: list[int], with_sound: frozenset[str]) -> int:
    """The training song with sound whose mean ratings differ most from term to term; all terms must be rated."""
    candidates = [
        index
        for index, song_id in enumerate(material.songs)
        if material.split[index] == "train"
        and song_id in with_sound
        and np.isfinite(material.rated[index, columns]).all()
    ]
    if not candidates:
        raise InputError("few-shot: no training song has sound and a rating of every term")
    return max(candidates, key=lambda index: (material.rated[index, columns].std(), material.songs[index]))


def example_ratings(material: Material, columns: list[int], song: int) -> list[tuple[str, float]]:
    """Ten terms of a song, evenly from its lowest rating to its highest, with their means."""
    ordered = sorted(columns, key=lambda column: (material.rated[song, column], column))
    chosen = [ordered[place] for place in np.linspace(0, len(ordered) - 1, EXAMPLE_TERMS).round().astype(int)]
    return [(material.targets[column].label, float(material.rated[song, column])) for column in dict.fromkeys(chosen)]
