"""Reading, cleaning and averaging 988,925 ratings, against pandas' `read_csv` + `groupby.agg` of the same file.

    python -m tests.bench.ratings

Both read the same generated file, in turn; the ratio is that of the pairs' wall-clock times, with its median.
"""

import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
import pyarrow as pa

from build import ratings, vocab
from build.sources.people import pseudonyms, read_ratings
from build.tables import SONGS, TERMS
from tests.bench import report

N_RATINGS = 988_925
N_SONGS = 1_180
N_RATERS = 1_741
ROUNDS = 9


def main() -> None:
    """Time the pair and write the result."""
    songs, terms = _lists()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rawrating_GlobalMood.csv"
        _write(path, songs, terms)
        pairs = [(_seconds(_ours, path, songs, terms), _seconds(_pandas, path)) for _ in range(ROUNDS)]
    report(
        "ratings",
        {
            "ratings": N_RATINGS,
            "ours_s": median(ours for ours, _ in pairs),
            "pandas_s": median(theirs for _, theirs in pairs),
            "ratio": median(ours / theirs for ours, theirs in pairs),
            "pairs_s": pairs,
        },
    )


def _ours(path: Path, songs: pa.Table, terms: pa.Table) -> None:
    answers = read_ratings(path, {})
    kept, dropped = ratings.clean(answers, songs, terms, pseudonyms(answers), path.name)
    cells = ratings.summarise(kept)
    if (kept.num_rows, dropped.num_rows) != (N_RATINGS, 0) or not cells.num_rows:
        raise RuntimeError("not all ratings were kept")


def _pandas(path: Path) -> None:
    pd.read_csv(path).groupby(["country", "videoID", "term"])["rating"].agg(["mean", "std", "count"])


def _seconds(work, *arguments) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def _lists() -> tuple[pa.Table, pa.Table]:
    songs = [{"song_id": f"song{index:07d}", "title": "t", "artist": "a", "country": "KR"} for index in range(N_SONGS)]
    terms = [
        {
            "language": language.config,
            "term_id": term,
            "rank": rank,
            "term": term,
            "frequency": 1,
            "mean_rating": 3,
            "score": 3,
        }
        for language in vocab.languages()
        for rank in range(1, language.n_terms + 1)
        for term in [f"{language.locale} term {rank}"]
    ]
    return pa.Table.from_pylist(songs, SONGS), pa.Table.from_pylist(terms, TERMS)


def _write(path: Path, songs: pa.Table, terms: pa.Table) -> None:
    rng = np.random.default_rng(0)
    languages = vocab.languages()
    vocabulary = np.array(terms["term"].to_pylist()).reshape(len(languages), -1)
    people = np.array([f"{person:024x}" for person in rng.integers(0, 2**62, N_RATERS)])
    person = rng.integers(0, N_RATERS, N_RATINGS)
    language = person % len(languages)  # everybody rates in one
    frame = pd.DataFrame(
        {
            "videoID": np.array(songs["song_id"].to_pylist())[rng.integers(0, N_SONGS, N_RATINGS)],
            "participant": people[person],
            "country": np.array([row.country for row in languages])[language],
            "term": vocabulary[language, rng.integers(0, vocabulary.shape[1], N_RATINGS)],
            "rating": rng.integers(1, 6, N_RATINGS),
        }
    )
    frame.to_csv(path, index=False)


if __name__ == "__main__":
    main()
