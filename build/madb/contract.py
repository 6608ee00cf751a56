"""What MADB is published as: its configs, columns and splits."""

from build import vocab
from build.workspace import METADATA

VERSION = "1.0.0"
DIMENSIONS_FILE = METADATA / "madb" / "dimensions.csv"
DIMENSIONS = tuple(vocab.read_rows(DIMENSIONS_FILE, ("name", "file_column", "paper_name", "stage", "definition")))
SCORES = {row["name"]: row["file_column"] for row in DIMENSIONS}  # published column -> column of the source file
