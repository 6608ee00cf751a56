"""A small source folder: songs of three countries as files with sound, and ratings in two languages."""

import csv
from pathlib import Path

import numpy as np
import soundfile

TERMS = [f"term {number}" for number in range(1, 21)]
RATE_HZ = 44_100
LENGTH_S = 17.0
GONE, SHORT = "song-03", "song-07"  # songs without a file, and too short for an excerpt


def write_source(folder: Path, n_songs: int = 12) -> Path:
    """Fill `folder` and return it: songs `song-00`, ... of noise, a seed each, and ratings of three people a song."""
    ids = [f"song-{number:02d}" for number in range(n_songs)]
    (folder / "media").mkdir(parents=True)
    for number, song_id in enumerate(ids):
        length_s = 5.0 if song_id == SHORT else LENGTH_S
        sound = np.random.default_rng(number).normal(0, 0.05, (int(length_s * RATE_HZ), 2))
        if song_id != GONE:
            soundfile.write(folder / "media" / f"{song_id}.flac", sound, RATE_HZ)
    songs = [
        (song_id, ("KR", "FR", "EG")[number % 3], f"Title {number}", f"Artist {number}", f"media/{song_id}.flac", "")
        for number, song_id in enumerate(ids)
    ]
    songs[0] = (*songs[0][:5], "1.25")
    _write(folder / "songmeta_GlobalMood.csv", ("videoID", "iso2", "song", "artist", "url", "start_s"), songs)
    for locale in ("en", "ko"):
        rows = [(term, f"gloss of {term}", 10, 3.5, 35.0) for term in TERMS]
        path = folder / "rating_dimensions" / f"{locale}_STEP_for_dense_rate.csv"
        _write(path, ("grouped_tag", "translation", "frequency", "mean_rating", "score"), rows)
    answers = [
        (song_id, f"person {person}", locale, term, 1 + (number + person + place) % 5)
        for number, song_id in enumerate(ids)
        for person in range(3)
        for locale in ("en", "ko")
        for place, term in enumerate(TERMS)
        if (number + person + place) % 7
    ]
    answers += [("song-00", "person 0", "en", "no such term", 3), ("song-00", "person 0", "en", TERMS[5], 9)]
    _write(folder / "rawrating_GlobalMood.csv", ("videoID", "participant", "locale", "term", "rating"), answers)
    return folder


def _write(path: Path, header: tuple[str, ...], rows: list[tuple]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
