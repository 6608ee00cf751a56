"""What MADB is published as: its configs, columns and files."""

import datasets
from datasets import Audio, Features, Value

from build import vocab
from build.workspace import METADATA

NAME, VERSION = "madb", "1.0.0"
SPLITS = ("train", "validation")
FOLDER = METADATA / "madb"
DIMENSION = {column: Value("string") for column in ("name", "file_column", "paper_name", "stage", "definition")}
DIMENSIONS = tuple(vocab.read_rows(FOLDER / "dimensions.csv", tuple(DIMENSION)))
SCORES = {row["name"]: row["file_column"] for row in DIMENSIONS}  # published column -> column of the source file
SOURCES = tuple(row["name"] for row in vocab.read_rows(FOLDER / "sources.csv", ("name", "meaning")))
CITATION = """\
@misc{zhang2026madb,
  title = {{MADB}: Music Aesthetics Dataset and Benchmark},
  author = {Zhang and others},
  year = {2026},
  url = {https://arxiv.org/abs/2607.06929}
}"""


def _tags() -> object:
    return datasets.Sequence(Value("string"))  # datasets 4 and 5 turn it into their List


_SCORES = {name: Value("float32") for name in SCORES}
FEATURES = {
    "scores": Features(
        {
            "id": Value("int32"),
            "name": Value("string"),
            "source": Value("string"),
            "is_pure_music": Value("bool"),
            **_SCORES,
            "mood": _tags(),
            "genre": _tags(),
            "split": Value("string"),
            "audio_sha256": Value("string"),
            "audio": Audio(),  # at each track's own sampling rate
        }
    ),
    "annotations": Features(
        {
            "id": Value("int32"),
            "annotator": Value("int32"),
            **_SCORES,
            "comment_zh": Value("string"),
            "comment_en": Value("string"),
            "short_comment": Value("bool"),
            "mood": _tags(),
            "genre": _tags(),
        }
    ),
    "dimensions": Features(DIMENSION),
}
CONFIGS = {
    "scores": "tracks with mean scores, tags and audio",
    "annotations": "one annotator's scores, comment and tags for one track",
    "dimensions": "what is scored",
}
FILES = {
    "scores": {split: f"scores/{split}-*.parquet" for split in SPLITS},
    "annotations": {split: f"annotations/{split}-*.parquet" for split in SPLITS},
    "dimensions": {"train": "dimensions/train-*.parquet"},
}
PUBLISHED = {config: (FEATURES[config], tuple(FILES[config].values())) for config in CONFIGS}
