import hashlib

import pytest

from build.fetch.journal import Attempt
from build.fetch.survey import fetched, survey
from build.fetch.urls import target_of
from tests.fetch.songlist import song_table

TARGET = target_of("song", "a.wav")
PAYLOAD = b"sound"
HAD = Attempt(TARGET.key, "song", 1.0, "ok", site="", path="song.wav", sha256=hashlib.sha256(PAYLOAD).hexdigest())


@pytest.fixture
def folders(tmp_path):
    audio, source = tmp_path / "audio", tmp_path / "source"
    for folder, name in ((audio, "song.wav"), (source, "a.wav")):
        folder.mkdir()
        (folder / name).write_bytes(PAYLOAD)
    return audio, source


def fault(audio, source, attempt: Attempt = HAD) -> str | None:
    (row,) = survey([(TARGET.key, [attempt])], [TARGET], audio, source).to_pylist()
    return row["fault"]


def test_a_file_that_is_what_it_was_has_no_fault(folders):
    assert fault(*folders) is None


def test_a_missing_a_damaged_and_an_outdated_file_are_told_apart(folders):
    audio, source = folders
    (source / "a.wav").write_bytes(b"other sound")
    assert fault(audio, source) == "its source file has changed"
    (audio / "song.wav").write_bytes(b"sounD")
    assert fault(audio, source) == "its file is damaged"
    (audio / "song.wav").unlink()
    assert fault(audio, source) == "its file is missing"


def test_a_source_file_that_is_gone_does_not_spoil_what_was_fetched(folders):
    audio, source = folders
    (source / "a.wav").unlink()
    assert fault(audio, source) is None
    assert fault(audio, None) is None


def test_songs_that_were_never_asked_for_have_no_row(folders):
    assert survey([], [TARGET], *folders).num_rows == 0


def test_the_published_row_of_a_song_whose_file_is_gone_says_that_it_is_not_fetched(folders):
    audio, _ = folders
    songs, attempts = song_table({"song": "a.wav"}), [(TARGET.key, [HAD])]
    assert fetched(songs, attempts, audio)["status"].to_pylist() == ["ok"]
    (audio / "song.wav").unlink()
    (row,) = fetched(songs, attempts, audio).to_pylist()
    assert (row["status"], row["message"], row["path"]) == ("not_fetched", "its file is missing", None)
