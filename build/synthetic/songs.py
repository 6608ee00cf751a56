"""The list of synthetic songs: ids, names, and in which kind of file each one comes, if it comes at all."""

import string
from typing import NamedTuple

import numpy as np

from build.synthetic.seeds import generator
from build.synthetic.vocabulary import Names
from build.vocab import Country

SONGS_A_COUNTRY = 2
ID_ALPHABET = string.ascii_letters + string.digits + "-_"
# An id of YouTube's is a 64-bit number in base 64, so its last character is one of sixteen. These end with another.
ID_ENDINGS = "bdefhijlmnpqrtuvxz"
AWKWARD_TITLES = ("NA", "NULL", "nan", "TRUE", 'Waltz "No. 0", in Two Parts', "-", "007")
SPOILT = ("missing", "missing", "missing", "too_short", "too_short", "silent", "silent")
EXTENSIONS = ("webm", "flac", "m4a", "webm", "flac", "webm", "mp3", "flac", "webm", "ogg")
DASH_EVERY = 15  # songs; ids may begin with a dash, and programs that take one for an option break
DUETS = 0.06  # share of songs with a second artist
LEAST_S, MOST_S, TOO_SHORT_S = 20.0, 60.0, 7.0
EXCERPT_S = 15.0


class Song(NamedTuple):
    """A synthetic song; `start_s` is the published start of its excerpt (None for most).

    `audio` is what a build will find: `ok`, `missing` (its file is not there), `too_short` (7 s) or `silent`.
    """

    song_id: str
    title: str
    artist: str
    country: Country
    extension: str
    rate_hz: int
    channels: int
    duration_s: float
    start_s: float | None
    audio: str

    @property
    def url(self) -> str:
        """The file of the song, relative to the source folder."""
        return f"media/{self.song_id}.{self.extension}"


def list_songs(seed: int, countries: list[Country], scripts: list[Names], extensions: list[str]) -> list[Song]:
    """Two songs for each country, in order, with names in the country's script and files in `extensions` in turn."""
    n_songs = SONGS_A_COUNTRY * len(countries)
    order = generator(seed, "files").permutation(n_songs)
    awkward = dict(zip(generator(seed, "titles").permutation(n_songs).tolist(), AWKWARD_TITLES, strict=False))
    songs = []
    for number in range(n_songs):
        country = countries[number // SONGS_A_COUNTRY]
        random = generator(seed, "song", number)
        title, artist = _names(country, scripts, number + 1, random)
        file = _file(int(order[number]), extensions, random)
        song_id = draw_id(random, "-" if number % DASH_EVERY == 0 else "")
        songs.append(Song(song_id, awkward.get(number, title), artist, country, *file))
    return songs


def draw_id(random: np.random.Generator, first: str = "") -> str:
    """Eleven characters that could be a YouTube id, but are none; `first` is what it begins with."""
    middle = random.choice(list(ID_ALPHABET), 10 - len(first)).tolist()
    return first + "".join(middle) + str(random.choice(list(ID_ENDINGS)))


def _names(country: Country, scripts: list[Names], number: int, random: np.random.Generator) -> tuple[str, str]:
    own = [script for script in scripts if country.iso2 in script.countries]
    script = (own or [script for script in scripts if not script.countries])[0]
    title = str(random.choice(script.titles)).format(n=number)
    lead, guest = (str(name) for name in random.choice(script.artists, 2, replace=False))
    return title, f"{lead} & {guest}" if random.random() < DUETS else lead


def _file(
    place: int, extensions: list[str], random: np.random.Generator
) -> tuple[str, int, int, float, float | None, str]:
    """Extension, rate, channels, duration, start and audio of the song at a place in the seeded order of files."""
    audio = SPOILT[place] if place < len(SPOILT) else "ok"
    extension = extensions[place % len(extensions)]
    rate_hz = 48_000 if extension == "webm" or random.random() < 0.5 else 44_100
    duration_s = TOO_SHORT_S if audio == "too_short" else round(LEAST_S + (MOST_S - LEAST_S) * random.random() ** 3, 2)
    published = audio == "ok" and place % 12 == 0
    start_s = round(random.random() * (duration_s - EXCERPT_S - 1.0), 2) if published else None
    return extension, rate_hz, 1 if place % 15 == 10 else 2, duration_s, start_s, audio
