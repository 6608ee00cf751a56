"""The verbs, as a user calls them."""

import importlib
import json
import os
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from build.cli import app
from build.errors import InputError, RunError
from build.fetch.lock import only_run
from build.files import write_table
from build.workspace import REPOSITORY
from tests.fetch.site import site, tone
from tests.fetch.songlist import song_table
from tests.fetch.youtube import video_id

for verb in ("fetch", "status", "doctor"):
    importlib.import_module(f"build.cli.{verb}")


def listed(work, urls) -> None:
    write_table(work / "tables" / "songs.parquet", song_table(urls))


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_fetch_leaves_a_table_and_says_how_it_stands(tmp_path):
    with site() as server:
        listed(tmp_path, {"a": server.url("whole/a"), "b": server.url("missing/b")})
        done = call("fetch", "--work", tmp_path)
    assert done.exit_code == 0
    assert "1 of 2 songs are had; 1 gone, 0 blocked here, 0 to retry." in done.stdout
    assert pq.read_table(tmp_path / "tables" / "fetched.parquet")["status"].to_pylist() == ["ok", "not_found"]


def test_fetch_remembers_where_the_files_of_the_source_are(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.wav").write_bytes(tone())
    listed(tmp_path, {"a": "a.wav"})
    assert call("fetch", "--work", tmp_path, "--source-root", tmp_path / "source").exit_code == 0
    (tmp_path / "source" / "b.wav").write_bytes(tone(2.0))
    listed(tmp_path, {"a": "a.wav", "b": "b.wav"})
    assert "2 of 2 songs are had" in call("fetch", "--work", tmp_path).stdout


def test_fetch_without_a_list_says_what_to_run_first(tmp_path):
    assert "python -m build songs" in str(call("fetch", "--work", tmp_path).exception)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--mode", "all"], "allowed are incremental, retry-failed, recheck"),
        (["--pace", "0"], "more than 0 songs an hour"),
        (["--only", "nosuch"], "has no song nosuch"),
        (["--cookies", "nosuch.txt"], "there is no such file"),
        (["--cookies-from-browser", "netscape"], "unsupported browser"),
    ],
)
def test_options_that_no_run_can_do_are_wrong_input(tmp_path, arguments, reason):
    listed(tmp_path, {"a": "http://127.0.0.1:9/a"})
    error = call("fetch", "--work", tmp_path, *arguments).exception
    assert isinstance(error, InputError)
    assert reason in str(error)


def test_an_id_that_begins_with_a_dash_can_be_named(tmp_path):
    with site() as server:
        listed(tmp_path, {"-a": server.url("whole/a"), "b": server.url("whole/b")})
        assert "1 of 2 songs are had" in call("fetch", "--work", tmp_path, "--only", "-a").stdout


def test_without_network_it_ends_within_30_s_with_one_reason_and_all_songs_still_to_come(tmp_path):
    listed(tmp_path, {video_id(n): None for n in range(9)})
    begun = time.monotonic()
    done = call("fetch", "--work", tmp_path, "--proxy", "http://127.0.0.1:9")
    assert time.monotonic() - begun < 30
    assert isinstance(done.exception, RunError)
    assert "nothing was asked for. http://www.youtube.com/: no answer" in str(done.exception)
    assert "0 of 9 songs are had; 0 gone, 0 blocked here, 0 to retry, 9 not asked for yet. To go on: " in done.stdout
    assert f"python -m build fetch --proxy http://127.0.0.1:9 --work {tmp_path}" in done.stdout


def test_without_network_the_exit_code_is_1_and_the_reason_one_line(tmp_path):
    listed(tmp_path, {video_id(1): None})
    done = subprocess.run(
        [sys.executable, "-m", "build", "fetch", "--work", tmp_path, "--proxy", "http://127.0.0.1:9"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert [line[:29] for line in done.stderr.splitlines() if line.startswith("error")] == [
        "error: nothing was asked for."
    ]


def test_a_second_fetch_is_refused_with_the_pid_of_the_first(tmp_path):
    listed(tmp_path, {"a": "http://127.0.0.1:9/a"})
    with only_run(tmp_path):
        error = call("fetch", "--work", tmp_path).exception
    assert isinstance(error, RunError)
    assert f"process {os.getpid()} " in str(error)


def test_status_is_printed_for_people_and_for_programs(tmp_path):
    with site() as server:
        listed(tmp_path, {"a": server.url("whole/a"), "b": server.url("missing/b"), video_id(1): None})
        call("fetch", "--work", tmp_path, "--only", "a,b")
    shown = call("status", "--work", tmp_path).stdout
    assert "not_found" in shown
    assert "a better url would help b (not_found)" in shown
    found = json.loads(call("status", "--work", tmp_path, "--json").stdout)
    assert found["states"] == {"gone": 1, "had": 1, "untried": 1}
    assert (found["running_pid"], found["seconds_left"]) == (None, 14)


def test_status_names_a_run_at_work(tmp_path):
    listed(tmp_path, {"a": "http://127.0.0.1:9/a"})
    with only_run(tmp_path):
        assert json.loads(call("status", "--work", tmp_path, "--json").stdout)["running_pid"] == os.getpid()


def test_doctor_says_what_is_there(tmp_path):
    shown = call("doctor", "--work", tmp_path)
    for name in ("yt-dlp", "JavaScript runtime", "disk", "torchcodec", "ffmpeg", "fonts"):
        assert name in shown.stdout
