"""Weekly charts of each country: its own songs, and hits that chart in several countries under various names.

By the rule that neither a song's video nor its recording may chart in another country, the songs of the sample are what
is left; by video alone, the uploads of `TWINS` pass as well. The files look like downloads of 2022, oddities included.
"""

from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from build.synthetic.seeds import generator
from build.synthetic.songs import Song, draw_id

WEEKS = tuple(date(2022, 3, 3) + timedelta(days=7 * week) for week in range(3))  # Thursdays, as in the real names
HEADER = [
    "Rank",
    "Previous Rank",
    "Track Name",
    "Artist Names",
    "Weeks on Chart",
    "Views",
    "Weekly Growth",
    "YouTube URL",
]
WATCH = "https://www.youtube.com/watch?v="
HITS, TWINS = 24, 6
EVERY_HOW_MANY = 3  # a hit charts in every third country
ODD_EVERY = 10  # in one country of ten there is a line without a video, in one a video twice


class Entry(NamedTuple):
    """A line of a chart that has no rank yet; `since` is the week of `WEEKS` in which it enters."""

    title: str
    artist: str
    video_id: str
    since: int = 0


class Run(NamedTuple):
    """A song's time in its country's charts: first week, best rank, number of weeks."""

    first_week: date
    peak_rank: int
    weeks: int


def chart_name(iso2: str, week: date) -> str:
    """The file name under which a weekly chart is downloaded; `week` is its last day, a Thursday."""
    return f"youtube-charts-top-songs-{iso2.lower()}-weekly-{week.isoformat()}.csv"


def draw_charts(seed: int, songs: list[Song]) -> tuple[dict[str, list[list[str]]], dict[str, Run]]:
    """Charts as file name -> rows, the header first; and each song's `Run` by song id."""
    charts: dict[str, list[list[str]]] = {}
    runs: dict[str, Run] = {}
    countries = list(dict.fromkeys(song.country.iso2 for song in songs))
    for place, iso2 in enumerate(countries):
        random = generator(seed, "chart", iso2)
        own = [song for song in songs if song.country.iso2 == iso2]
        entries = [Entry(song.title, song.artist, song.song_id, int(random.integers(len(WEEKS)))) for song in own]
        weeks = _weeks(entries + _hits(seed, place, len(countries)), place, random)
        for week, day in enumerate(WEEKS):
            before = weeks[week - 1] if week else []
            charts[chart_name(iso2, day)] = [HEADER, *_lines(weeks[week], before, week, random)]
        runs |= {entry.video_id: _run(entry, weeks) for entry in entries[: len(own)]}
    return charts, runs


def _hits(seed: int, place: int, n_countries: int) -> list[Entry]:
    """What charts in the country at `place` and in others as well."""
    plain = [number for number in range(HITS) if number % EVERY_HOW_MANY == place % EVERY_HOW_MANY]
    twin, face = divmod(place, 2)
    paired = twin < min(TWINS, n_countries // 2)
    return [_hit(seed, number, place) for number in plain] + ([_twin(seed, twin, face)] if paired else [])


def _hit(seed: int, number: int, place: int) -> Entry:
    """A hit with one video; every fourth is a version in some countries, and one has the title of a song."""
    title = "NA" if number == 1 else f"Hit of the Whole World No. {number}"
    version = " (Live)" if number % 4 == 0 and place % 2 else ""
    guest = " & --" if number % 4 == 2 else ""
    return Entry(title + version, f"Ada Everywhere{guest}", draw_id(generator(seed, "hit", number)))


def _twin(seed: int, number: int, face: int) -> Entry:
    """A recording with two videos, each of which charts in one country only."""
    video_id = draw_id(generator(seed, "twin", number, face))
    if face:
        return Entry(f"TWO UPLOADS No. {number} [Official Video]", "Bo Nowhere, Ada Everywhere", video_id)
    return Entry(f"Two Uploads No. {number}", "Ada Everywhere & Bo Nowhere", video_id)


def _weeks(entries: list[Entry], place: int, random: np.random.Generator) -> list[list[Entry]]:
    """The entries of each week, best rank first."""
    weeks = []
    for week in range(len(WEEKS)):
        here = [entry for entry in entries if entry.since <= week]
        ranked = [here[index] for index in random.permutation(len(here))]
        nameless = [Entry(f"Nowhere to Be Heard No. {place}", "Somebody", "")] if place % ODD_EVERY == 3 else []
        twice = ranked[:1] if place % ODD_EVERY == 6 else []
        weeks.append(ranked + nameless + twice)
    return weeks


def _run(entry: Entry, weeks: list[list[Entry]]) -> Run:
    ranks = [1 + ranked.index(entry) for ranked in weeks[entry.since :]]
    return Run(WEEKS[entry.since], min(ranks), len(ranks))


def _lines(ranked: list[Entry], before: list[Entry], week: int, random: np.random.Generator) -> list[list[str]]:
    views = np.sort(random.integers(10_000, 5_000_000, len(ranked)))[::-1]
    growth = random.normal(0.0, 20.0, len(ranked))
    return [
        [
            str(rank),
            str(1 + before.index(entry)) if entry in before else "",
            entry.title,
            entry.artist,
            str(week - entry.since + 1),
            str(views[rank - 1]),
            f"{growth[rank - 1]:.1f}%" if entry in before else "",
            WATCH + entry.video_id,
        ]
        for rank, entry in enumerate(ranked, start=1)
    ]
