"""What can happen to a file of a built folder, and which files a report blames for it."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from build.validate.files import Findings


def gone(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def other_columns(path: Path) -> None:
    pq.write_table(pa.table({"song_id": [1], "id": ["x"], "language": [None]}), path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES = (gone, empty, truncated, zeros, other_columns, a_folder)


def blamed_by(findings: Findings) -> set[str]:
    """The files that the sentences of a report begin with."""
    return {line.split(": ")[0] for line in [*findings.missing, *findings.invalid, *findings.extra]}
