"""`build.training.payloads`: sound in the order asked for, and errors that name the song."""

import numpy as np
import pytest

from build.errors import RunError
from build.training.files import Files
from build.training.payloads import read_payloads, waveforms
from build.training.request import Request
from build.training.songs import read_songs
from tests.training.folder import has_audio, sound

WANTED = Request("x")


def read(folder, rows):
    files = Files(str(folder))
    return [part and bytes(part) for part in read_payloads(files, read_songs(files, "train", ["korean"]), rows)]


@pytest.mark.parametrize("rows", [[], [7], [2], list(range(39)), list(range(38, -1, -1)), [0, 38, 0, 2, 2, 12, 1]])
def test_payloads_come_in_the_order_asked_for(small, rows):
    assert read(small, rows) == [sound(row) if has_audio(row) else None for row in rows]


def test_neighbours_in_a_page_cost_one_read(small, monkeypatch):
    read_spans = []
    monkeypatch.setattr(Files, "read_each", lambda self, spans: map(self.read, spans))
    original = Files.read
    files = Files(str(small))
    songs = read_songs(files, "train", ["korean"])
    monkeypatch.setattr(Files, "read", lambda self, span: read_spans.append(span) or original(self, span))
    assert [part is not None for part in read_payloads(files, songs, range(9))] == [has_audio(row) for row in range(9)]
    assert len(read_spans) == len({songs.spans[row] for row in range(9) if has_audio(row)}) == 2


def test_waveforms_are_float_planes_and_zeros_without_audio():
    batch = waveforms([sound(5), None, sound(20)], ["a", "b", "c"], WANTED)
    assert (batch.dtype, batch.shape) == (np.float32, (3, 2, 720_000))
    assert [set(song.ravel()) for song in batch] == [{5 / 1024}, {0.0}, {20 / 1024}]


@pytest.mark.parametrize(
    "payload",
    [b"", b"no sound", sound(3)[:1500], sound(3, 14.9), sound(3, 15.1)],
    ids=["", "text", "cut", "short", "long"],
)
def test_sound_that_cannot_be_used_is_an_error_with_the_songs_id(payload):
    with pytest.raises(RunError, match=r"song b: its audio cannot be used .*python -m build validate"):
        waveforms([sound(1), memoryview(payload)], ["a", "b"], WANTED)


def test_a_file_that_changed_since_is_an_error_with_the_songs_id(small, tmp_path):
    files = Files(str(small))
    songs = read_songs(files, "train", ["korean"])
    for name in {span.name for span in songs.spans if span}:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"\x15" * 100_000)
    with pytest.raises(RunError, match="song song-004 is not where"):
        list(read_payloads(Files(str(tmp_path)), songs, [4]))
