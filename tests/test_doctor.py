import pytest

from build import doctor
from build.fetch.preflight import FAILURE, GOOD, WARNING
from build.files import write_table
from tests.fetch.songlist import song_table


def found(work) -> dict[str, doctor.Finding]:
    return {finding.name: finding for finding in doctor.examine(work)}


def test_everything_is_looked_at_and_nothing_is_made(tmp_path):
    assert set(found(tmp_path / "work")) == {"yt-dlp", "JavaScript runtime", "disk", "torchcodec", "ffmpeg", "fonts"}
    assert not list(tmp_path.iterdir())


def test_what_is_not_good_comes_with_a_cure(tmp_path):
    assert all(finding.fix or finding.level == GOOD or finding.name == "fonts" for finding in found(tmp_path).values())


def test_little_room_is_a_failure_only_where_songs_are_listed_that_do_not_fit(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": 1000}))
    assert found(tmp_path)["disk"].level == WARNING
    write_table(tmp_path / "tables" / "songs.parquet", song_table({"song": "http://127.0.0.1:9/a.mp3"}))
    assert found(tmp_path)["disk"].level == FAILURE


@pytest.mark.parametrize(("name", "level"), [("torchcodec", WARNING), ("ffmpeg", WARNING)])
def test_what_is_only_better_to_have_is_a_warning(tmp_path, monkeypatch, name, level):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert found(tmp_path)[name].level == level


def test_the_hosts_of_listed_songs_are_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    write_table(tmp_path / "tables" / "songs.parquet", song_table({"dQw4w9WgXcQ": None}))
    assert found(tmp_path)["http://www.youtube.com/"].level == FAILURE
