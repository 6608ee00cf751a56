"""The sample as data: every table of the source folder and of the truth, drawn from a seed."""

from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from build.synthetic import chains, people
from build.synthetic.charts import Run, draw_charts
from build.synthetic.moods import MOODS, Reals, expected_ratings, latent_moods
from build.synthetic.seeds import generator
from build.synthetic.songs import Song, draw_id, list_songs
from build.synthetic.vocabulary import Names, Vocabulary
from build.vocab import Country, Language

Rows = list[list[str]]

SONGS = "songmeta_GlobalMood.csv"
RATINGS = "rawrating_GlobalMood.csv"
CHAINS = "chains_GlobalMood.csv"
# Ratings that a reader drops, by the reason of `build.ratings`: a handful a language.
OFF_SCALE, NO_NUMBER = ("0", "6", "4.5"), ("",)
UNKNOWN_SONGS, UNKNOWN_TERMS = 2, 2


class Source(NamedTuple):
    """What a source folder holds: songs with their moods (n_songs, 5), CSV files as rows, and the truth as tables."""

    songs: list[Song]
    moods: Reals
    files: dict[str, Rows]
    truth: dict[str, pa.Table]


class Culture(NamedTuple):
    """A language, its words, and the ratings to expect of its listeners, shape (n_songs, n_terms)."""

    language: Language
    words: Vocabulary
    expected: Reals


def draw_source(
    seed: int,
    countries: list[Country],
    languages: Iterable[Language],
    words: dict[str, Vocabulary],
    scripts: list[Names],
    extensions: list[str],
) -> Source:
    """Draw everything but the sound; languages without `words` have no ratings and chains in the sample."""
    songs = list_songs(seed, countries, scripts, extensions)
    moods = latent_moods(seed, len(songs))
    cultures = [
        Culture(language, own, expected_ratings(moods, own.weights, own.levels))
        for language in languages
        if (own := words.get(language.config))
    ]
    chart_files, runs = draw_charts(seed, songs)
    panels = [people.recruit(seed, culture.language.config, *culture.expected.shape) for culture in cultures]
    files = {SONGS: _song_rows(songs), **{f"charts/{name}": rows for name, rows in chart_files.items()}}
    files |= _chain_files(seed, songs, cultures) | _rating_file(seed, songs, cultures, panels)
    truth = {
        "truth.parquet": _expected(songs, cultures),
        "truth_songs.parquet": _song_truth(songs, moods, runs),
        "truth_raters.parquet": _rater_truth(cultures, panels),
        "truth_dropped.parquet": _dropped_truth(cultures),
    }
    return Source(songs, moods, files, truth)


def _song_rows(songs: list[Song]) -> Rows:
    header = ["videoID", "iso2", "country", "song", "artist", "url", "start_s"]
    return [header] + [
        [
            song.song_id,
            song.country.iso2,
            song.country.name,
            song.title,
            song.artist,
            song.url,
            "" if song.start_s is None else str(song.start_s),
        ]
        for song in songs
    ]


def _chain_files(seed: int, songs: list[Song], cultures: list[Culture]) -> dict[str, Rows]:
    """The acts of all languages, and for each language its spelling variants and the terms that its chains give."""
    rows = [["country", "videoID", "set", "chain", "step", "participant", "tag", "action", "rating"]]
    files: dict[str, Rows] = {CHAINS: rows}
    for language, words, expected in cultures:
        local = [number for number, song in enumerate(songs) if song.country.iso2 == language.country]
        acts = chains.elicit(seed, language.config, words, expected, local)
        rows += [
            [
                language.country,
                songs[act.song].song_id,
                str(act.chain_set),
                str(act.chain),
                str(act.step),
                act.participant,
                act.tag,
                act.action,
                "" if act.rating is None else str(act.rating),
            ]
            for act in acts
        ]
        files[f"variants/{language.config}.csv"] = [["variant", "term", "why"], *map(list, words.variants)]
        files[f"rating_dimensions/{language.locale}_STEP_for_dense_rate.csv"] = _term_rows(acts, words)
    return files


def _term_rows(acts: list[chains.Act], words: Vocabulary) -> Rows:
    meaning = dict(zip(words.terms, words.translations, strict=True))
    translated = any(words.translations)
    header = ["grouped_tag", *(["translation"] if translated else []), "frequency", "mean_rating", "score"]
    return [header] + [
        [term, *([meaning.get(term, "")] if translated else []), str(frequency), repr(mean), repr(score)]
        for term, frequency, mean, score in chains.lexicon(acts, words)[: len(words.terms)]
    ]


def _rating_file(seed: int, songs: list[Song], cultures: list[Culture], panels: list[people.Panel]) -> dict[str, Rows]:
    ids = [song.song_id for song in songs]
    rows = [["videoID", "participant", "country", "term", "rating"]]
    for (language, words, expected), panel in zip(cultures, panels, strict=True):
        for rater, song, term, rating in zip(*people.answer(seed, language.config, panel, expected), strict=True):
            rows.append([ids[song], panel.ids[rater], language.country, words.terms[term], str(rating)])
        rows += _stray_rows(seed, ids, language, words, panel)
    return {RATINGS: rows}


def _stray_rows(seed: int, ids: list[str], language: Language, words: Vocabulary, panel: people.Panel) -> Rows:
    """Rows that a reader drops, each for one reason and from another rater."""
    random = generator(seed, "stray", language.config)
    song, term = str(random.choice(ids)), words.terms[0]
    stray = [(song, term, rating) for rating in (*OFF_SCALE, *NO_NUMBER)]
    stray += [(draw_id(random), term, "3") for _ in range(UNKNOWN_SONGS)]
    stray += [(song, f"{term} {number}", "3") for number in range(UNKNOWN_TERMS)]
    return [
        [video, rater, language.country, tag, rating]
        for rater, (video, tag, rating) in zip(panel.ids, stray, strict=False)
    ]


def _dropped_truth(cultures: list[Culture]) -> pa.Table:
    counts = {
        "off_scale": len(OFF_SCALE),
        "no_number": len(NO_NUMBER),
        "unknown_song": UNKNOWN_SONGS,
        "unknown_term": UNKNOWN_TERMS,
    }
    return pa.Table.from_pylist(
        [
            {"file": RATINGS, "language": culture.language.config, "reason": reason, "rows": count}
            for culture in cultures
            for reason, count in counts.items()
        ]
    )


def _expected(songs: list[Song], cultures: list[Culture]) -> pa.Table:
    ids = [song.song_id for song in songs]
    tables = [
        pa.table(
            {
                "language": [language.config] * expected.size,
                "song_id": [song_id for song_id in ids for _ in words.terms],
                "term": words.terms * len(ids),
                "value": expected.ravel().tolist(),
            }
        )
        for language, words, expected in cultures
    ]
    return pa.concat_tables(tables)


def _song_truth(songs: list[Song], moods: Reals, runs: dict[str, Run]) -> pa.Table:
    charted = [runs[song.song_id] for song in songs]
    return pa.table(
        {
            "song_id": [song.song_id for song in songs],
            "audio": [song.audio for song in songs],
            "duration_s": [song.duration_s for song in songs],
            **{mood: moods[:, column].tolist() for column, mood in enumerate(MOODS)},
            "first_chart_week": [run.first_week for run in charted],
            "peak_rank": pa.array([run.peak_rank for run in charted], pa.int16()),
            "weeks_on_chart": pa.array([run.weeks for run in charted], pa.int16()),
        }
    )


def _rater_truth(cultures: list[Culture], panels: list[people.Panel]) -> pa.Table:
    """`n_trials` counts the songs heard, the repeated one twice."""
    return pa.Table.from_pylist(
        [
            {"language": culture.language.config, "participant": person, "kind": kind, "n_trials": len(songs) + 1}
            for culture, panel in zip(cultures, panels, strict=True)
            for person, kind, songs in zip(panel.ids, panel.kinds, panel.trials, strict=True)
        ]
    )
