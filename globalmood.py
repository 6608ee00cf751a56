"""GlobalMood: music emotion ratings by listeners of five cultures, with 15-second excerpts.

    import globalmood
    songs = globalmood.load("korean", split="train")      # a datasets.Dataset
    sound, rate_hz = globalmood.waveform(songs[0]["audio"])

This module is the published contract (languages, configs, features), a builder class for `datasets` 4 and 5
and a loading script for `datasets` 3. It needs nothing of the build pipeline, only the folder that it built.
"""

import atexit
import gc
import io
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import datasets
import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from datasets import Audio, Features, Value
from datasets.table import table_cast

if TYPE_CHECKING:
    import pandas as pd

# Parquet scanners that are left to the interpreter's own end abort the process there (apache/arrow#45214)
atexit.register(gc.collect)

VERSION = "1.0.0"
RATE_HZ = 48_000  # sampling rate of every excerpt
EXCERPT_S = 15.0  # length of every excerpt
SPLITS = ("train", "test")
CITATION = """\
@inproceedings{lee2025globalmood,
  title = {{GlobalMood}: A cross-cultural benchmark for music emotion recognition},
  author = {Lee, Harin and others},
  booktitle = {Proceedings of the 26th International Society for Music Information Retrieval Conference (ISMIR)},
  year = {2025},
  url = {https://arxiv.org/abs/2505.09539}
}"""


class Language(NamedTuple):
    """A language of the ratings: its config name, its BCP 47 tag, who rated, and how many terms they rated."""

    config: str
    tag: str
    population: str
    n_terms: int


# generated from metadata/languages.csv by `python -m build`
LANGUAGES = (
    Language("english", "en-US", "US listeners", 20),
    Language("french", "fr-FR", "listeners in France", 20),
    Language("spanish", "es-MX", "listeners in Mexico", 20),
    Language("korean", "ko-KR", "listeners in South Korea", 20),
    Language("arabic", "ar-EG", "listeners in Egypt", 20),
)
# end of the generated block


def _columns(names: str, kind: str) -> dict[str, Any]:
    return {name: Value(kind) for name in names.split()}


def _sequence(kind: str, length: int = -1) -> Any:
    return datasets.Sequence(Value(kind), length=length)  # datasets 4 and 5 turn it into their List


SONG = {
    **_columns("song_id title artist country", "string"),
    **_columns("first_chart_week", "date32"),
    **_columns("peak_rank weeks_on_chart", "int16"),
    **_columns("fold", "int8"),
    **_columns("status window", "string"),
    **_columns("start_s", "float64"),
    **_columns("start_sample", "int64"),
    **_columns("track_duration_s loudness_in_lufs loudness_out_lufs gain_db limiter_db", "float64"),
    **_columns("peak_out_dbfs true_peak_out_dbtp", "float64"),
    **_columns("loudness_policy codec source_format source_sha256 audio_sha256", "string"),
}
AUDIO = {"audio": Audio(sampling_rate=RATE_HZ)}
STATISTICS = {
    language.config: {
        "mean": _sequence("float32", language.n_terms),
        "std": _sequence("float32", language.n_terms),
        "count": _sequence("int16", language.n_terms),
    }
    for language in LANGUAGES
}
RATING = {
    **_columns("language song_id", "string"),
    **_columns("participant", "int32"),
    **_columns("term_id term", "string"),
    **_columns("rating repetition", "int8"),
}
_SCORE = _columns("frequency", "int32") | _columns("mean_rating score", "float64")
TERM = {
    **_columns("language term_id", "string"),
    **_columns("rank", "int16"),
    **_columns("term translation", "string"),
    **_SCORE,
}
LEXICON = _columns("language term_id term translation", "string") | _SCORE | {"variants": _sequence("string")}
CHAIN = {
    **_columns("language song_id chain_set chain", "string"),
    **_columns("step", "int16"),
    **_columns("participant", "int32"),
    **_columns("tag action", "string"),
    **_columns("rating", "int8"),
}
PARTICIPANT = {
    **_columns("language", "string"),
    **_columns("participant", "int32"),
    **_columns("stage", "string"),
    **_columns("n_trials n_ratings", "int32"),
    "flags": _sequence("string"),
}


@dataclass
class GlobalMoodConfig(datasets.BuilderConfig):
    """One config: its rows and columns (`features`) and the files that hold them, a glob a split.

    A language config is a projection of the song shards onto its columns, so audio is stored once.
    """

    version: str = VERSION
    files: tuple[tuple[str, str], ...] = ()

    @property
    def features(self) -> Features:
        """Names and types of the columns, in order."""
        return FEATURES[self.name]


def _both(pattern: str) -> tuple[tuple[str, str], ...]:
    return tuple((split, pattern.format(split=split)) for split in SPLITS)


def _contract() -> dict[str, tuple[Features, tuple[tuple[str, str], ...], str]]:
    songs, one = _both("data/{split}-*.parquet"), (lambda name: (("train", f"{name}/train-*.parquet"),))
    contract = {"all": (SONG | AUDIO | STATISTICS, songs, "songs with audio and the ratings of every language")}
    for language in LANGUAGES:
        features = SONG | AUDIO | {language.config: STATISTICS[language.config]}
        contract[language.config] = (features, songs, f"songs with audio and the ratings of {language.population}")
    contract["songs"] = (SONG, _both("songs/{split}-*.parquet"), "songs without audio and ratings")
    contract["ratings"] = (RATING, _both("ratings/*-{split}-*.parquet"), "single ratings of every language")
    for language in LANGUAGES:
        files = _both(f"ratings/{language.config}-{{split}}-*.parquet")
        contract[f"{language.config}_ratings"] = (RATING, files, f"single ratings of {language.population}")
    contract["terms"] = (TERM, one("terms"), "rated terms")
    contract["lexicon"] = (LEXICON, one("lexicon"), "elicited terms before the cut")
    contract["chains"] = (CHAIN, one("chains"), "acts in the elicitation chains")
    contract["participants"] = (PARTICIPANT, one("participants"), "people, by pseudonym")
    return {name: (Features(features), files, rows) for name, (features, files, rows) in contract.items()}


_CONTRACT = _contract()
CONFIGS = {name: rows for name, (_, _, rows) in _CONTRACT.items()}  # config -> what a row is
FEATURES = {name: features for name, (features, _, _) in _CONTRACT.items()}  # config -> its columns
FILES = {
    name: dict(files) for name, (_, files, _) in _CONTRACT.items()
}  # config -> split -> glob below the built folder
BUILDER_OPTIONS = ("cache_dir", "download_config", "download_mode", "token", "storage_options")  # of `load_dataset`
HOW_TO_GET = (
    "Build it with `make dataset` (a synthetic sample) or `python -m build run --source upstream` in the repository, "
    "or name a built folder or a Hub repository with data_dir=."
)


def _without_rows(features: Features) -> datasets.Dataset:
    """What `datasets` itself raises for: a split without rows, of a config whose source was absent."""
    table = datasets.table.InMemoryTable(features.arrow_schema.empty_table())
    return datasets.Dataset(table, info=datasets.DatasetInfo(features=features))


class GlobalMood(datasets.ArrowBasedBuilder):
    """The builder: reads the built folder beside this file, or the one named by `data_dir`."""

    BUILDER_CONFIG_CLASS = GlobalMoodConfig
    BUILDER_CONFIGS: ClassVar = [
        GlobalMoodConfig(name=name, description=rows, files=files) for name, (_, files, rows) in _CONTRACT.items()
    ]
    DEFAULT_CONFIG_NAME = "all"

    def __init__(
        self,
        *args: Any,
        config_name: str | None = None,
        base_path: str | None = None,
        data_dir: str | None = None,
        data_files: Any = None,
        **kwargs: Any,
    ) -> None:
        # A loading script is copied away from its folder, so base_path says where it came from. The files go through
        # the constructor because the cache key then covers their paths and times.
        base_path = base_path or str(Path(__file__).resolve().parent)
        root = Path(data_dir).resolve() if data_dir else "globalmood"
        patterns = FILES.get(config_name or self.DEFAULT_CONFIG_NAME, FILES["all"])
        super().__init__(
            *args,
            config_name=config_name,
            base_path=base_path,
            data_files=data_files or {split: f"{root}/{pattern}" for split, pattern in patterns.items()},
            **kwargs,
        )

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description=self.config.description, features=self.config.features, citation=CITATION
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        absent = [split for split, files in self.config.data_files.items() if not files]
        if absent:  # a glob without a match is silently empty
            raise FileNotFoundError(f"No shards of config {self.config.name!r} for {absent}. {HOW_TO_GET}")
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"files": files, "row_groups": [None] * len(files)})
            for split, files in dl_manager.download(self.config.data_files).items()
        ]

    def _as_dataset(self, split: Any = datasets.Split.TRAIN, in_memory: bool = False) -> datasets.Dataset:
        if any(info.num_examples for info in self.info.splits.values()):
            return super()._as_dataset(split, in_memory)
        return _without_rows(self.config.features)

    def _generate_shards(self, files: list[str], row_groups: list[Any]) -> Any:
        yield from files

    def _generate_more_gen_kwargs(self, files: list[str], row_groups: list[Any]) -> Any:
        """One shard a row group, for `IterableDataset.reshard()`."""
        for file in files:
            with open(file, "rb") as stream:
                count = pq.ParquetFile(stream).num_row_groups
            yield {"files": [file] * count, "row_groups": [(group,) for group in range(count)]}

    def _generate_tables(self, files: list[str], row_groups: list[Any]) -> Any:
        schema = self.config.features.arrow_schema
        for index, (file, groups) in enumerate(zip(files, row_groups, strict=True)):
            with open(file, "rb") as stream:
                parquet = pq.ParquetFile(stream)
                for group in groups or range(parquet.num_row_groups):
                    yield f"{index}_{group}", table_cast(parquet.read_row_group(group, columns=schema.names), schema)


def _location(data_dir: str | os.PathLike[str] | None, revision: str | None) -> str:
    """The built folder, or the id of a Hub repository; raises FileNotFoundError where there is neither."""
    location = os.fspath(data_dir) if data_dir else str(Path(__file__).resolve().parent / "globalmood")
    if Path(location).is_dir():
        if revision:
            raise ValueError(f"revision={revision!r} selects a version of a Hub repository, and {location} is a folder")
        if not (Path(location) / "MANIFEST.json").is_file():
            raise FileNotFoundError(f"{location} is not a built dataset: it has no MANIFEST.json. {HOW_TO_GET}")
        return location
    if data_dir and location.count("/") == 1 and not location.startswith((".", "/", "~")):
        return location
    raise FileNotFoundError(f"There is no folder {location}. {HOW_TO_GET}")


def can_decode() -> bool:
    """Whether `datasets` can decode audio here: version 3 brings its own way, later ones need torchcodec."""
    if int(datasets.__version__.split(".")[0]) < 4:
        return True
    try:
        import torchcodec  # noqa: F401
    except (ImportError, RuntimeError, OSError):  # absent, or without the FFmpeg libraries that it links to
        return False
    return True


def load(
    config: str = "all",
    split: str | None = None,
    streaming: bool = False,
    data_dir: str | os.PathLike[str] | None = None,
    revision: str | None = None,
    audio_dir: str | os.PathLike[str] | None = None,
    **kw: Any,
) -> Any:
    """Load a config like `datasets.load_dataset`, from the built folder beside this file unless told otherwise.

    Parameters
    ----------
    config : a name in CONFIGS
    split : "train", "test", a slice of one, or None for a dict of all
    streaming : read rows as they are asked for, instead of preparing a local copy
    data_dir : a built folder, or the id of a Hub repository ("ORG/globalmood")
    revision : tag, branch or commit of a Hub repository
    audio_dir : folder of clips that you have, `SONG_ID.EXTENSION` each, which take the place of the songs' own audio
    kw : passed on to `datasets.load_dataset`

    Where audio cannot be decoded (see `can_decode`), rows hold it as {"bytes", "path"}, for `waveform`, and a warning
    says so. Raises ValueError for a config that does not exist or clips that cannot be joined, FileNotFoundError where
    nothing was built.
    """
    if config not in CONFIGS:
        raise ValueError(f"There is no config {config!r}; there are {', '.join(CONFIGS)}.")
    if audio_dir and "audio" not in FEATURES[config]:
        raise ValueError(f"audio_dir={os.fspath(audio_dir)!r} cannot be joined: config {config!r} has no audio.")
    clips = _clips(Path(audio_dir)) if audio_dir else {}
    location = _location(data_dir, revision)
    if clips and clips.keys().isdisjoint(_song_ids(location, revision)):
        raise ValueError(f"{audio_dir}: no file there is named by a song of {location}; one is {min(clips)!r}")
    if not streaming:
        known = {name: kw[name] for name in BUILDER_OPTIONS if name in kw}
        splits = datasets.load_dataset_builder(location, config, revision=revision, **known).info.splits or {}
        if splits and not any(info.num_examples for info in splits.values()):
            return (
                _without_rows(FEATURES[config])
                if split
                else datasets.DatasetDict({name: _without_rows(FEATURES[config]) for name in splits})
            )
    loaded = datasets.load_dataset(location, config, split=split, streaming=streaming, revision=revision, **kw)
    if clips:
        parted = isinstance(loaded, dict)
        loaded = type(loaded)({k: _joined(v, clips) for k, v in loaded.items()}) if parted else _joined(loaded, clips)
    if "audio" not in FEATURES[config] or can_decode():
        return loaded
    warnings.warn(
        "torchcodec cannot be imported, so audio comes as encoded bytes: use globalmood.waveform(row['audio']), "
        "or install torchcodec and the FFmpeg libraries that it needs.",
        stacklevel=2,
    )
    return loaded.cast_column("audio", Audio(sampling_rate=RATE_HZ, decode=False))


def _clips(folder: Path) -> dict[str, str]:
    """Song id -> absolute path of its clip, by the names of the files in `folder`."""
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {folder} of clips.")
    paths = sorted(path.absolute() for path in folder.iterdir() if path.is_file())
    clips = {path.stem: str(path) for path in paths}
    if not clips or len(clips) < len(paths):
        twice = [path.name for path in paths if clips[path.stem] != str(path)]
        raise ValueError(f"{folder} must hold one file a song, SONG_ID.EXTENSION; {twice[:3] or 'it holds none'}")
    return clips


def _joined(rows: Any, clips: dict[str, str]) -> Any:
    """`rows` (a Dataset or IterableDataset) whose audio is the clip of its song where there is one; none is read."""

    def joined(table: pa.Table) -> pa.Table:
        place = table.column_names.index("audio")
        paths = pa.array([clips.get(song_id) for song_id in table["song_id"].to_pylist()], pa.string())
        found = pa.StructArray.from_arrays([pa.nulls(len(paths), pa.binary()), paths], names=["bytes", "path"])
        audio = pc.if_else(paths.is_valid(), found, table["audio"].combine_chunks())
        return table.set_column(place, "audio", audio)

    arrow = rows.with_format("arrow")
    return arrow.map(joined, batched=True, batch_size=100, features=rows.features).with_format(None)


def _read(pattern: str, columns: list[str], location: str, revision: str | None) -> pa.Table:
    """The named columns of the Parquet files that match `pattern` below a built folder or Hub repository."""
    url = location if Path(location).is_dir() else f"hf://datasets/{location}" + (f"@{revision}" if revision else "")
    files, root = fsspec.core.url_to_fs(url)
    return pa.concat_tables(
        pq.read_table(path, columns=columns, filesystem=files) for path in sorted(files.glob(f"{root}/{pattern}"))
    )


def _song_ids(location: str, revision: str | None) -> list[str]:
    parts = [_read(pattern, ["song_id"], location, revision) for pattern in FILES["songs"].values()]
    return [song_id for part in parts for song_id in part["song_id"].to_pylist()]


def terms(language: str, data_dir: str | os.PathLike[str] | None = None, revision: str | None = None) -> "pd.DataFrame":
    """The rated terms of a language in the order of its `mean` lists: rank, term_id, term, translation and scores.

    `translation` is the English gloss, null in English. Raises ValueError for an unknown language.
    """
    if language not in STATISTICS:
        raise ValueError(f"There is no language {language!r}; there are {', '.join(STATISTICS)}.")
    table = _read(FILES["terms"]["train"], list(TERM), _location(data_dir, revision), revision)
    ordered = table.filter(pc.equal(table["language"], language)).sort_by("rank")
    return ordered.drop_columns("language").to_pandas()


def frame(language: str, data_dir: str | os.PathLike[str] | None = None, revision: str | None = None) -> "pd.DataFrame":
    """A tidy table, one row a song and term: song (its id), country, split, term, translation, mean, std, count.

    `mean` is NaN where nobody rated, `std` where fewer than two did. No audio is read. A dataset built without terms
    gives no rows. Raises ValueError for an unknown language.
    """
    import pandas as pd

    vocabulary, location = terms(language, data_dir, revision), _location(data_dir, revision)
    parts = []
    for split, pattern in FILES[language].items() if len(vocabulary) else ():
        songs = _read(pattern, ["song_id", "country", language], location, revision)
        cells = songs[language].combine_chunks()
        rows = {
            "song": np.repeat(songs["song_id"].to_numpy(), len(vocabulary)),
            "country": np.repeat(songs["country"].to_numpy(), len(vocabulary)),
            "split": split,
            "term": np.tile(vocabulary["term"], songs.num_rows),
            "translation": np.tile(vocabulary["translation"], songs.num_rows),
        }
        parts.append(pd.DataFrame(rows | {name: cells.field(name).flatten().to_pandas() for name in cells.type.names}))
    columns = ["song", "country", "split", "term", "translation", "mean", "std", "count"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def waveform(audio: Any, rate_hz: int | None = None, mono: bool = False) -> tuple[np.ndarray, int]:
    """The sound of an `audio` cell, in whichever form `datasets` hands it out; needs neither torch nor torchcodec.

    Parameters
    ----------
    audio : a torchcodec decoder, {"bytes", "path"}, {"array", "sampling_rate"}, or None for a song without audio
    rate_hz : resample to this rate (librosa, soxr_hq); None keeps the rate of the cell
    mono : average the channels

    Returns
    -------
    sound : float32, shape (channels, samples), full scale +-1; (2, 0), or (1, 0) if mono, for None
    rate_hz : samples a second and channel

    Raises TypeError for anything else, and what soundfile raises for bytes that it cannot decode.
    """
    sound, native_hz = _decoded(audio)
    if mono:
        sound = sound.mean(axis=0, keepdims=True, dtype=np.float32)
    if rate_hz and rate_hz != native_hz and sound.size:
        import librosa

        sound = librosa.resample(sound, orig_sr=native_hz, target_sr=rate_hz)
    return np.ascontiguousarray(sound, dtype=np.float32), rate_hz or native_hz


def batches(
    config: str = "all",
    split: str = "train",
    batch_size: int = 32,
    rate_hz: int | None = None,
    mono: bool = False,
    shuffle: int | None = None,
    epoch: int = 0,
    rank: int = 0,
    world_size: int = 1,
    ranks: str = "exact",
    decode: bool = True,
    data_dir: str | os.PathLike[str] | None = None,
    revision: str | None = None,
) -> Any:
    """Batches of songs for a training loop: an iterable, also for `DataLoader(..., batch_size=None, num_workers=N)`.

    Parameters
    ----------
    config : a language, or "all" for the terms of all languages side by side (`languages` of the result in order)
    split : "train" or "test"
    batch_size : songs a batch; the last one of an epoch may be smaller
    rate_hz, mono : resample (soxr HQ) to this rate, average the channels; None keeps RATE_HZ
    shuffle : a seed, 0 among them, for an order that differs from epoch to epoch; None keeps that of the shards
    epoch : where to begin; `set_epoch` goes to another
    rank, world_size : this process and how many there are, each of which takes its share of every epoch
    ranks : "exact" has each song once an epoch, so ranks may differ by one song; "even" gives all ranks equally many,
        by taking a few songs a second time: `repeated` says which
    decode : False leaves the sound encoded, for a decoder of your own
    data_dir : a built folder, the id of a Hub repository, or an address that fsspec opens (https://, s3://)
    revision : tag, branch or commit of a Hub repository

    Each batch is a dict, of tensors where torch is installed and of NumPy arrays elsewhere
    -------
    song_id : list of B str
    waveform : float32 (B, channels, samples), full scale +-1, zeros without audio; with decode=False instead
        `encoded`, a list of bytes or None
    has_audio : bool (B,)
    mean : float32 (B, terms), NaN where nobody rated
    count : int16 (B, terms), ratings behind each mean
    repeated : bool (B,)
    state : where to go on after this batch, for `load_state_dict`: JSON, exact for any number of workers

    Batch k follows from (shuffle, epoch, batch_size, rank, world_size) and the data, whoever loads it. Raises
    ValueError for arguments out of range, FileNotFoundError where nothing was built, and build.errors.RunError, with
    the song's id, for sound that cannot be decoded.
    """
    from build.training.batches import Batches
    from build.training.request import Request

    root = os.fspath(data_dir) if data_dir and "://" in os.fspath(data_dir) else _location(data_dir, revision)
    rate_hz = RATE_HZ if rate_hz is None else rate_hz
    place = (epoch, rank, world_size, ranks)
    return Batches(Request(root, revision, config, split, batch_size, rate_hz, mono, shuffle, *place, decode))


def collate(rows: list[dict[str, Any]], rate_hz: int | None = None, mono: bool = False) -> dict[str, Any]:
    """Rows of a config with audio -> one batch as `batches` gives it, for a loader of your own.

    Decodes, so it belongs into the worker: `DataLoader(songs, collate_fn=functools.partial(globalmood.collate,
    rate_hz=24_000, mono=True), num_workers=4)`. Takes `audio` in every form that `waveform` takes. The batch has
    `song_id`, `waveform`, `has_audio`, `mean` and `count`, with the terms of all languages that the rows have; sounds
    of unequal length are padded with zeros. Raises ValueError for rows without `song_id` and `audio`.
    """
    from build.training.collate import collate

    return collate(rows, rate_hz, mono)


def _decoded(audio: Any) -> tuple[np.ndarray, int]:
    if audio is None:
        return np.zeros((2, 0), np.float32), RATE_HZ
    if hasattr(audio, "get_all_samples"):
        samples = audio.get_all_samples()
        return samples.data.numpy(), samples.sample_rate
    if isinstance(audio, dict) and audio.get("array") is not None:
        return np.atleast_2d(np.asarray(audio["array"], dtype=np.float32)), audio["sampling_rate"]
    if isinstance(audio, dict) and (audio.get("bytes") or audio.get("path")):
        import soundfile

        source = io.BytesIO(audio["bytes"]) if audio.get("bytes") else audio["path"]
        sound, native_hz = soundfile.read(source, dtype="float32", always_2d=True)
        return sound.T, native_hz
    raise TypeError(f"This is no audio cell of `datasets`: {type(audio).__name__}")
