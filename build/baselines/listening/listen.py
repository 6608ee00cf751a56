"""From a service and a built folder to predictions."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from build.baselines.aesthetics.comments import read_comments
from build.baselines.listening.aesthetics import aesthetics_songs
from build.baselines.listening.asking import Interview, Song
from build.baselines.listening.listeners import Service, listener_of
from build.baselines.listening.moods import mood_songs
from build.baselines.listening.store import Answer, open_store
from build.baselines.material import Material, read_material, read_tracks, write_predictions
from build.baselines.place import Place
from build.baselines.sounds import sound_groups
from build.errors import InputError, RunError

Say = Callable[[str], None]


def listen_to_moods(
    service: Service, place: Place, out: Path, few_shot: bool, languages: Sequence[str], limit: int | None, say: Say
) -> None:
    """Ask a model about the test songs of a GlobalMood folder, and write what it says."""
    material = read_material(place.folder, languages)
    songs = mood_songs(material, sound_groups(place.folder), few_shot)
    _listen(service, material, songs[:limit], place, out, say)


def listen_to_tracks(
    service: Service, place: Place, out: Path, inputs: Sequence[str], limit: int | None, say: Say
) -> None:
    """Ask a model about the validation tracks of a MADB folder, and write what it says."""
    material = read_tracks(place.folder)
    needs_texts = {"comments", "tags"} & set(inputs)
    comments, tags = read_comments(place.folder) if needs_texts else ({}, {})
    groups = sound_groups(place.folder) if "audio" in inputs else []
    songs = aesthetics_songs(material, groups, inputs, comments, tags)
    _listen(service, material, songs[:limit], place, out, say)


def _listen(service: Service, material: Material, songs: list[Song], place: Place, out: Path, say: Say) -> None:
    if not songs:
        raise InputError(f"{place.folder}: no test song (or validation track) has what is asked about; add audio to it")
    with open_store(place.cache / "answers.sqlite") as store:
        interview = Interview(listener_of(service), service.name, store)
        answers = interview.conduct(songs, place.workers)
    say(interview.tally.sentence())
    _write(out, material, answers)
    silent = interview.tally.counts["no reply"]
    if silent:
        raise RunError(f"{silent} questions got no reply; run the same command again, answers so far are kept")


def _write(out: Path, material: Material, answers: Sequence[Answer]) -> None:
    songs = sorted({answer.song_id for answer in answers})
    row = {song_id: index for index, song_id in enumerate(songs)}
    column = {f"{target.group}:{target.key}": index for index, target in enumerate(material.targets)}
    predicted = np.full((len(songs), len(column)), np.nan)
    for answer in answers:
        if answer.rating is not None:
            predicted[row[answer.song_id], column[answer.target]] = answer.rating
    write_predictions(out, songs, material.targets, predicted)
