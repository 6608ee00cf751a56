"""`build.training.files`, on disk and behind HTTP."""

import pickle

import aiohttp
import pytest

from build.training.files import REQUESTS, Files, Span
from tests.bench.ranges import serve

CONTENT = bytes(range(256)) * 400
PIECES = [Span("a/b.bin", len(CONTENT), start, start + 100) for start in range(0, 10_000, 250)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.bin").write_bytes(CONTENT)
    return tmp_path


@pytest.fixture
def server(folder):
    with serve(folder) as server:
        yield server


def test_a_span_on_disk(folder):
    files = Files(str(folder))
    assert files.read(PIECES[3]) == CONTENT[750:850]
    assert files.read_whole("a/b.bin") == CONTENT
    assert not files.remote


def test_a_file_on_disk_is_mapped_once(folder):
    files = Files(str(folder))
    first, second = (files.here().read(piece) for piece in PIECES[:2])
    assert first.obj is second.obj


def test_another_process_opens_its_own(folder, server):
    for files in (Files(str(folder)), Files(server.address)):
        files.read(PIECES[3])
        assert pickle.loads(pickle.dumps(files)).read(PIECES[3]) == CONTENT[750:850]  # noqa: S301


def test_spans_come_in_the_order_asked_for(folder, server):
    wanted = [CONTENT[span.start : span.end] for span in PIECES]
    assert list(Files(str(folder)).read_each(PIECES)) == wanted
    assert list(Files(server.address).read_each(PIECES)) == wanted


def test_http_is_asked_for_the_bytes_of_the_span_and_for_nothing_else(server):
    files = Files(server.address)
    assert files.read(PIECES[3]) == CONTENT[750:850]
    assert server.counts() == {"requests": 1, "bytes": 100}
    assert list(files.read_each(iter([]))) == []
    assert server.counts() == {"requests": 0, "bytes": 0}


def test_reading_ahead_is_bounded(server):
    pieces = Files(server.address).read_each(PIECES)
    next(pieces)
    pieces.close()
    assert server.counts()["requests"] <= REQUESTS + 1


def test_a_file_that_is_not_there_is_named(folder, server):
    with pytest.raises(FileNotFoundError, match=r"c\.bin"):
        Files(str(folder)).read(Span("c.bin", 10, 0, 10))
    with pytest.raises(FileNotFoundError, match=r"c\.bin"):
        Files(server.address).read_whole("c.bin")
    with pytest.raises(aiohttp.ClientResponseError, match=r"404.*c\.bin"):
        list(Files(server.address).read_each([Span("c.bin", 10, 0, 10)]))
