"""Made-up truths, and a small built dataset whose ratings are drawn from songs' known true values."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from build import ratings as stage
from build import split, tables, vocab
from build.dataset.write import Tables, write_dataset
from build.scoring.truth import Target, Truth

RATERS = 6


def truth(rated: Sequence[Sequence[float]], keys: Sequence[str] = (), train_means: Sequence[float] = ()) -> Truth:
    """A truth of the songs s0, s1, ...; `keys` are `language:term`, by default korean:t0, korean:t1, ..."""
    values = np.array(rated, float)
    names = [key.split(":") for key in keys or [f"korean:t{index}" for index in range(values.shape[1])]]
    return Truth(
        task="globalmood:all",
        data={"name": "globalmood", "version": "1", "source": "folder", "split": "test"},
        songs=tuple(f"s{index}" for index in range(len(values))),
        targets=tuple(Target(language, key, key.upper()) for language, key in names),
        rated=values,
        train_means=np.array(train_means or [3.0] * values.shape[1]),
        elsewhere=frozenset({"t"}),
    )


def built(folder: Path, n_songs: int = 48, clips: pa.Table | None = None, moods: np.ndarray | None = None) -> Path:
    """A built folder at `folder`, whose raters hear `moods` (songs, 20) of every song with an error of their own.

    Ids are m000, m001, ...; each language has the terms `<locale>0` to `<locale>19`.
    """
    rng = np.random.default_rng(3)
    moods = rng.uniform(1, 5, (n_songs, 20)) if moods is None else moods
    ids = [f"m{index:03d}" for index in range(n_songs)]
    songs = pa.Table.from_pylist(
        [{"song_id": name, "title": name, "artist": name, "country": ("KR", "FR")[int(name[1:]) % 2]} for name in ids],
        tables.SONGS,
    )
    terms = pa.Table.from_pylist([row for language in vocab.languages() for row in _terms(language)], tables.TERMS)
    ratings = _ratings(rng, ids, moods)
    write_dataset(
        folder,
        Tables(
            songs=songs,
            splits=split.assign(songs),
            clips=tables.CLIPS.empty_table() if clips is None else clips,
            ratings=ratings,
            dropped=tables.DROPPED.empty_table(),
            cells=stage.summarise(ratings),
            terms=terms,
            lexicon=tables.LEXICON.empty_table(),
            chains=tables.CHAINS.empty_table(),
            participants=tables.PARTICIPANTS.empty_table(),
        ),
        {"source": "folder", "options": {"limit": None}, "inputs": {}},
    )
    return folder


def _terms(language: vocab.Language) -> list[dict[str, object]]:
    words = [f"{language.locale}{index}" for index in range(language.n_terms)]
    rest = {"language": language.config, "frequency": 1, "mean_rating": 3.0, "score": 3.0}
    return [{**rest, "term_id": word, "term": word, "rank": rank} for rank, word in enumerate(words, start=1)]


def _ratings(rng: np.random.Generator, ids: Sequence[str], moods: np.ndarray) -> pa.Table:
    parts = []
    for language in vocab.languages():
        shape = (len(ids), RATERS, language.n_terms)
        heard = moods[:, None, : language.n_terms] + rng.normal(0, 0.5, shape)
        song, person, term = (axis.ravel() for axis in np.indices(shape))
        words = np.array([f"{language.locale}{index}" for index in range(language.n_terms)])[term]
        columns = {
            "language": [language.config] * song.size,
            "song_id": np.array(ids)[song],
            "participant": person + 1,
            "term_id": words,
            "term": words,
            "rating": np.clip(np.round(heard), 1, 5).ravel().astype(np.int8),
            "repetition": np.zeros(song.size, np.int8),
        }
        parts.append(pa.table(columns).cast(tables.RATINGS))
    return pa.concat_tables(parts)
