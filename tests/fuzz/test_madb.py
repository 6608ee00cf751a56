"""Any bytes as a list of tracks, annotations or validation ids of MADB give tables, or an error that names the file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build.madb.annotations import ANNOTATIONS, read_annotations
from build.madb.tracks import TRACKS, read_tracks, read_validation
from tests.fuzz.files import AT_LENGTH, BRIEFLY, damaged, given_or_refused, tables, written
from tests.madb.made import annotations, tracks

LISTED, ANNOTATED = tracks(2), annotations(2, 2)


def files(rows: list[dict[str, object]]) -> st.SearchStrategy[bytes]:
    header, good = list(rows[0]), [[str(cell) for cell in row.values()] for row in rows]
    return st.one_of(damaged(written(header, good)), tables(header, *good))


def check_tracks(content: bytes, folder: Path) -> None:
    path = folder / "tracks.csv"
    path.write_bytes(content)
    read = given_or_refused(lambda: read_tracks(path, frozenset(), {}), path)
    if read is not None:
        assert read.schema == TRACKS
        read.validate(full=True)
    ids = given_or_refused(lambda: read_validation(path), path)
    assert ids is None or all(isinstance(track, int) for track in ids)


def check_annotations(content: bytes, folder: Path) -> None:
    path, listed = folder / "annotations.csv", folder / "listed.csv"
    listed.write_bytes(written(list(LISTED[0]), [[str(cell) for cell in row.values()] for row in LISTED]))
    path.write_bytes(content)
    read = given_or_refused(lambda: read_annotations(path, read_tracks(listed, frozenset(), {}), {}), path)
    if read is not None:
        assert read[0].schema == ANNOTATIONS
        read[0].validate(full=True)


@given(files(LISTED))
@BRIEFLY
def test_any_bytes_of_tracks(scratch, content):
    check_tracks(content, scratch)


@pytest.mark.slow
@given(files(LISTED))
@AT_LENGTH
def test_any_bytes_of_tracks_at_length(scratch, content):
    check_tracks(content, scratch)


@given(files(ANNOTATED))
@BRIEFLY
def test_any_bytes_of_annotations(scratch, content):
    check_annotations(content, scratch)


@pytest.mark.slow
@given(files(ANNOTATED))
@AT_LENGTH
def test_any_bytes_of_annotations_at_length(scratch, content):
    check_annotations(content, scratch)
