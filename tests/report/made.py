"""A small built dataset in memory, some of its text hostile."""

import io

import numpy as np
import pyarrow as pa
import soundfile

from build.ratings import summarise
from build.report.built import Built
from tests.analysis.simulated import terms, two_point

HOSTILE = (
    "<script>alert('title')</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(2)</script>",
    "{{ 7 * 7 }} ${7*7} $\\frac{1}{2}$",
    "\u202eright to left override\u202c and \u0007 bell",
    "=HYPERLINK(\"http://example.com\")",
    "<!-- comment",
    "&lt;already&gt; &amp; escaped",
)  # fmt: skip
NAMES = {"english": "English", "french": "French", "spanish": "Spanish", "korean": "Korean", "arabic": "Arabic"}
TAGS = {"english": "en-US", "french": "fr-FR", "spanish": "es-MX", "korean": "ko-KR", "arabic": "ar-EG"}
GLOSSES = ("sad", "calm", "joyful", "tense", "gentle")
WORDS = {
    "english": GLOSSES,
    "french": ("triste", "calme", "joyeux", "tendu", "doux"),
    "spanish": ("triste", "tranquilo", "gozoso", "tenso", "suave"),
    "korean": ("슬픈", "차분한", "즐거운", "긴장되는", "부드러운"),
    "arabic": ("حزين", "هادئ", "مبهج", "متوتر", "لطيف"),
}


def songs(n_songs: int) -> pa.Table:
    """Songs, the last two without sound; the first ones have HOSTILE titles."""
    heard = [index < n_songs - 2 for index in range(n_songs)]
    columns = {
        "song_id": [f"s{index:04d}" for index in range(n_songs)],
        "title": [HOSTILE[index] if index < len(HOSTILE) else f"Song {index}" for index in range(n_songs)],
        "artist": [HOSTILE[0] if index == 0 else f"Artist {index % 3}" for index in range(n_songs)],
        "country": [("BR", "KR", "NA")[index % 3] for index in range(n_songs)],
        "status": ["ok" if ok else "not_found" for ok in heard],
        "loudness_in_lufs": [-20.0 + index if ok else None for index, ok in enumerate(heard)],
        "loudness_out_lufs": [-5.5 if ok else None for ok in heard],
        "split": ["test" if index % 4 == 0 else "train" for index in range(n_songs)],
    }
    numbers = {name: pa.array(columns[name], pa.float64()) for name in ("loudness_in_lufs", "loudness_out_lufs")}
    return pa.table(columns | numbers)


def built(n_songs: int = 14, rated: bool = True, source: str = "folder", names: dict[str, str] = NAMES) -> Built:
    """Five languages with five terms each, rated by four people."""
    rows = [
        (language, f"t{place:02d}", word, GLOSSES[place])
        for language in names
        for place, word in enumerate(WORDS.get(language, GLOSSES))
    ]
    named = terms([(language, term_id, gloss) for language, term_id, _, gloss in rows])
    named = named.set_column(named.schema.get_field_index("term"), "term", pa.array([word for _, _, word, _ in rows]))
    chance = np.random.default_rng(0).uniform(0, 1, (n_songs, len(GLOSSES)))
    tables = [two_point(chance, 4, seed, language) for seed, language in enumerate(names)]
    ratings = pa.concat_tables(tables) if rated else tables[0].slice(0, 0)
    return Built(
        title="GlobalMood",
        source=source,
        version="1.0.0",
        names=names,
        tags={language: TAGS.get(language, "und") for language in names},
        songs=songs(n_songs),
        terms=named,
        ratings=ratings,
        cells=summarise(ratings),
    )


def tone(seconds: float = 2.0, rate_hz: int = 48_000, channels: int = 2) -> bytes:
    """A FLAC file with a 440 Hz sine of amplitude 0.25."""
    wave = 0.25 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate_hz)) / rate_hz)
    target = io.BytesIO()
    soundfile.write(target, np.repeat(wave[:, None], channels, axis=1), rate_hz, format="FLAC")
    return target.getvalue()
