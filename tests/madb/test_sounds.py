import pyarrow as pa
import pytest

from build.errors import InputError
from build.files import sha256_of
from build.madb.sounds import add_sounds, find_sounds
from tests.madb.made import source

TRACKS = pa.table({"id": [2, 7, 8], "name": ["song, 2.mp3", "song, 7.mp3", "8.wav"]})


def test_sounds_are_found_by_id_and_by_name(tmp_path):
    folder = source(tmp_path / "s")
    assert find_sounds(folder, TRACKS).files == {2: folder / "audio" / "2.mp3", 7: folder / "audio" / "song, 7.mp3"}


def test_files_of_no_track_and_files_that_are_no_sound_are_told(tmp_path):
    folder = source(tmp_path / "s")
    (folder / "audio" / "99.mp3").write_bytes(b"x")
    (folder / "audio" / "8.MP3").write_bytes(b"not sound")
    sounds = find_sounds(folder, TRACKS)
    assert [path.name for path in sounds.unknown] == ["99.mp3"]
    assert [path.name for path in sounds.unreadable] == ["8.MP3"]
    assert 8 not in sounds.files


def test_two_files_for_one_track_are_refused(tmp_path):
    folder = source(tmp_path / "s")
    (folder / "2.mp3").write_bytes((folder / "audio" / "2.mp3").read_bytes())
    with pytest.raises(InputError, match="is the sound of track 2 too; keep one of them"):
        find_sounds(folder, TRACKS)


def test_columns_say_where_the_sound_lies(tmp_path):
    path = source(tmp_path / "s") / "audio" / "2.mp3"
    rows = add_sounds(TRACKS, {2: path}).to_pylist()
    assert (rows[0]["file"], rows[0]["bytes"], rows[0]["audio_sha256"]) == (
        str(path), path.stat().st_size, sha256_of(path),
    )  # fmt: skip
    assert (rows[1]["file"], rows[1]["bytes"], rows[1]["audio_sha256"]) == (None, None, None)
