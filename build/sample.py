"""The embedded sample: a whole synthetic source in the layout of the upstream release, with the truth beside it.

`write_sample` fills a folder with

    songmeta_GlobalMood.csv           the songs, two a country; `url` names a file of media/, `start_s` is mostly empty
    media/                            the songs in several kinds of file
    charts/                           three weekly charts a country
    chains_GlobalMood.csv             two sets of elicitation chains a language
    variants/<language>.csv           spelling variants in the chains
    rating_dimensions/                the rated terms of each language, in the order that the chains give
    rawrating_GlobalMood.csv          individual ratings
    truth.parquet                     language, song_id, term, value: what an unbiased listener would answer, 1 to 5
    truth_songs.parquet               song_id, audio (ok, missing, too_short or silent), duration_s, the five moods, and
                                      first_chart_week, peak_rank, weeks_on_chart as in charts/
    truth_raters.parquet              language, participant, kind (attentive, straightlining, random, few), n_trials
    truth_dropped.parquet             file, language, reason, rows: ratings that no reader should keep
    SAMPLE.json                       written last: the seed, the recipe, and every file's SHA-256

All of it is drawn from the seed alone: the same bytes whatever the folder, the number of workers or the hash seed.
"""

import csv
import hashlib
import io
import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np

from build import vocab
from build.errors import RunError
from build.files import sha256_of, write_bytes, write_table
from build.progress import progress
from build.synthetic.media import can_write, write_media
from build.synthetic.moods import Reals
from build.synthetic.seeds import generator
from build.synthetic.songs import EXTENSIONS, Song
from build.synthetic.sound import Signal, synthesise
from build.synthetic.source import Rows, Source, draw_source
from build.synthetic.vocabulary import SAMPLE, names, vocabularies
from build.workers import Failure, pool
from build.workspace import METADATA, REPOSITORY

MARK = "SAMPLE.json"
TIMEOUT_S = 300.0  # for one song, which takes about 0.3 s
FOLDERS = ("media", "charts", "variants", "rating_dimensions")


def write_sample(folder: Path, seed: int, workers: int = 1) -> None:
    """Fill `folder` with the sample of `seed`, unless it is there already, whole and by the present recipe.

    The folder is the sample's own: files that are named as here and of another seed or recipe are removed first. Songs
    are synthesised in `workers` processes; raises RunError where that fails, InputError for less than one worker.
    """
    recipe = {"seed": seed, "recipe": _recipe()}
    if _is_whole(folder, recipe):
        return
    _clear(folder)
    source = _draw(seed)
    for name, rows in source.files.items():
        _write(folder / name, _csv(rows))
    for name, table in source.truth.items():
        write_table(folder / name, table)
    _write_songs(folder, source, seed, workers)
    files = {path.relative_to(folder).as_posix(): sha256_of(path) for path in _files(folder)}
    write_bytes(folder / MARK, json.dumps({**recipe, "files": files}, indent=1).encode())


def _draw(seed: int) -> Source:
    countries = [country for country in vocab.countries().values() if country.in_globalmood]
    extensions = [extension for extension in EXTENSIONS if can_write(extension)]
    return draw_source(seed, countries, vocab.languages(), vocabularies(), names(), extensions)


def _recipe() -> str:
    """A digest of all that the bytes depend on besides the seed: code, vocabularies, and the libraries that encode."""
    code = [REPOSITORY / "build" / "sample.py", *sorted((REPOSITORY / "build" / "synthetic").glob("*.py"))]
    tables = [METADATA / "countries.csv", METADATA / "languages.csv", *sorted(SAMPLE.glob("*.csv"))]
    versions = [version(package) for package in ("av", "numpy", "pyarrow", "soundfile")]
    return hashlib.sha256(" ".join([*map(sha256_of, code + tables), *versions]).encode()).hexdigest()


def _is_whole(folder: Path, recipe: dict[str, object]) -> bool:
    try:
        mark = json.loads((folder / MARK).read_bytes())
        files = mark.pop("files")
        return mark == recipe and all(sha256_of(folder / name) == digest for name, digest in files.items())
    except (OSError, ValueError, KeyError, AttributeError):
        return False


def _clear(folder: Path) -> None:
    (folder / MARK).unlink(missing_ok=True)
    for name in FOLDERS:
        if (folder / name).exists():
            shutil.rmtree(folder / name)
    for path in _files(folder):
        path.unlink()


def _files(folder: Path) -> list[Path]:
    """The files of a sample in `folder`, without its mark."""
    patterns = ["*_GlobalMood.csv", "truth*.parquet", *(f"{name}/*" for name in FOLDERS)]
    return sorted(path for pattern in patterns for path in folder.glob(pattern))


def _write(path: Path, payload: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(payload)


def _csv(rows: Rows) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


class _Task(NamedTuple):
    path: Path
    song: Song
    moods: Reals
    seed: int
    number: int


def _write_songs(folder: Path, source: Source, seed: int, workers: int) -> None:
    (folder / "media").mkdir(parents=True, exist_ok=True)
    tasks = [
        _Task(folder / song.url, song, source.moods[number], seed, number)
        for number, song in enumerate(source.songs)
        if song.audio != "missing"
    ]
    with progress("sample", len(tasks)) as advance, pool(workers) as processes:
        for task, outcome in processes.run_each(_write_song, tasks, TIMEOUT_S):
            if isinstance(outcome, Failure):
                raise RunError(f"{task.path} cannot be synthesised: {outcome.message}; run it again")
            advance(True)


def _write_song(task: _Task) -> None:
    write_media(task.path, _samples(task), task.song.rate_hz)


def _samples(task: _Task) -> Signal:
    song = task.song
    if song.audio == "silent":
        return np.zeros((song.channels, round(song.duration_s * song.rate_hz)), np.float32)
    stereo = synthesise(task.moods, generator(task.seed, "music", task.number), song.duration_s, song.rate_hz)
    return stereo if song.channels == 2 else stereo.mean(axis=0, keepdims=True)
