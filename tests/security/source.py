"""A small source in which every text is hostile and every person has the id of a panel."""

import csv
import shutil
from pathlib import Path

from tests.hub.source import write_source
from tests.security.hostile import TEXTS

PANEL_IDS = ("5f8a1c2e9b7d4e0012ab34cd", "3b241101-e2bb-4255-8caf-4136c566a962", "rater.one@example.org")
HEARD = ("song-00", "song-01")  # songs with sound
N_TERMS = 20


def write_hostile_source(folder: Path) -> Path:
    """Fill `folder` and return it: a song for each of TEXTS, which are terms and tags too, and two with sound."""
    harmless = write_source(folder.with_name("harmless"), n_songs=len(HEARD))
    shutil.copytree(harmless / "media", folder / "media")
    songs = [(song_id, "KR", "Title", "Artist", f"media/{song_id}.flac") for song_id in HEARD]
    songs += [(f"h-{place:02d}", "FR", text, text, "media/gone.flac") for place, text in enumerate(TEXTS.values())]
    _write(folder / "songmeta_GlobalMood.csv", ("videoID", "iso2", "song", "artist", "url"), songs)
    terms = list(TEXTS.values())[:N_TERMS]
    path = folder / "rating_dimensions" / "en_STEP_for_dense_rate.csv"
    header = ("grouped_tag", "translation", "frequency", "mean_rating", "score")
    _write(path, header, [(term, term, 10, 3.5, 35.0) for term in terms])
    answers = [
        (song[0], person, "en", term, 1 + (number + rater + place) % 5)
        for number, song in enumerate(songs)
        for rater, person in enumerate(PANEL_IDS)
        for place, term in enumerate(terms)
    ]
    _write(folder / "rawrating_GlobalMood.csv", ("videoID", "participant", "locale", "term", "rating"), answers)
    acts = [("en", "song-00", "1", "0", PANEL_IDS[0], text, "add", "") for text in TEXTS.values()]
    acts += [("en", "song-00", "1", "1", PANEL_IDS[1], text, "rate", "4") for text in TEXTS.values()]
    acts += [("en", "song-00", "1", "2", PANEL_IDS[2], f"ask {PANEL_IDS[2]}", "add", "")]
    acts += [("en", "song-01", PANEL_IDS[0], "0", PANEL_IDS[0], "calm", "add", "")]
    header = ("locale", "videoID", "chain", "step", "participant", "tag", "action", "rating")
    _write(folder / "chains_GlobalMood.csv", header, acts)
    return folder


def _write(path: Path, header: tuple[str, ...], rows: list[tuple]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
