import datetime as dt
import shutil

import pytest

from build.fetch.options import FetchOptions
from build.fetch.preflight import (
    FAILURE,
    GOOD,
    WARNING,
    answers,
    findings,
    hosts,
    javascript,
    needed_bytes,
    room,
    yt_dlp_age,
)
from build.fetch.urls import target_of
from tests.fetch.site import site

VIDEO = target_of("dQw4w9WgXcQ", None)


@pytest.mark.parametrize(
    ("version", "level"),
    [("2026.10.26", GOOD), ("2026.08.01", GOOD), ("2026.07.31", WARNING), ("2024.01.01.232323", WARNING)],
)
def test_yt_dlp_is_old_after_90_days(version, level):
    assert yt_dlp_age(dt.date(2026, 10, 30), version).level == level


def test_an_old_yt_dlp_is_told_with_its_version_age_and_the_cure():
    said = str(yt_dlp_age(dt.date(2026, 12, 31), "2026.08.01"))
    assert said == 'yt-dlp: 2026.08.01 is 152 days old (pip install -U "yt-dlp[default]")'


def runtime(folder, name: str, said: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{said}'\n")
    path.chmod(0o755)


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A search path on which there is nothing but the shell."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to(shutil.which("sh"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "scripts"))
    return tmp_path / "bin"


def test_without_a_javascript_runtime_the_cure_is_named(path):
    assert (javascript().level, javascript().found) == (WARNING, "none")
    assert javascript().fix == 'pip install "yt-dlp[default,deno]", or node >= 22'


def test_a_node_before_22_is_named_as_too_old(path):
    runtime(path, "node", "v20.20.2")
    assert (javascript().level, javascript().found) == (WARNING, "node 20.20.2 (too old)")


@pytest.mark.parametrize(
    ("name", "said", "found"), [("node", "v22.1.0", "node 22.1.0"), ("deno", "deno 2.6.6", "deno 2.6.6")]
)
def test_a_runtime_that_is_new_enough_is_good(path, name, said, found):
    runtime(path, name, said)
    assert (javascript().level, javascript().found) == (GOOD, found)


def test_a_full_disk_is_a_failure_with_both_numbers(tmp_path):
    free = shutil.disk_usage(tmp_path).free
    assert room(tmp_path, free // 2).level == GOOD
    finding = room(tmp_path, free * 2)
    assert finding.level == FAILURE
    assert "GB free in" in finding.found
    assert "--work" in finding.fix


def test_the_files_of_a_source_need_what_they_are_and_others_what_songs_are(tmp_path):
    (tmp_path / "a.wav").write_bytes(bytes(1000))
    local = [target_of("a", "a.wav"), target_of("b", "nosuch.wav")]
    assert needed_bytes(local, tmp_path) == 1000
    assert needed_bytes([*local, VIDEO], tmp_path) == 6_001_000


def test_a_host_that_answers_anything_at_all_answers():
    with site() as server:
        urls = [server.url("whole/a"), server.url("missing/a"), server.url("failing/a")]
        assert answers(urls, FetchOptions()) == dict.fromkeys(urls, "")


def test_a_host_that_is_not_there_does_not_answer_and_the_reason_is_kept():
    (said,) = answers(["http://127.0.0.1:9/"], FetchOptions()).values()
    assert "Connection refused" in said


def test_a_host_that_never_answers_is_given_up_in_time(monkeypatch):
    monkeypatch.setattr("build.fetch.preflight.ANSWER_S", 0.4)
    with site() as server:
        assert all(answers([server.url("hang/a"), server.url("drip-headers/a")], FetchOptions()).values())


def test_hosts_are_asked_through_the_proxy_once_each_at_their_front_door():
    with site() as proxy:
        targets = [
            VIDEO,
            target_of("-Y3P7WBzLSY", None),
            *(target_of(f"s{n}", f"http://music.example/{n}.mp3") for n in range(9)),
        ]
        found = hosts(targets, FetchOptions(proxy=proxy.url("")))
        assert [finding.level for finding in found] == [GOOD, GOOD]
        assert dict(proxy.hits) == {"http://www.youtube.com/": 1, "http://music.example/": 1}


def test_no_answer_from_any_host_is_a_failure():
    targets = [VIDEO, target_of("song", "http://music.example/a.mp3")]
    assert {finding.level for finding in hosts(targets, FetchOptions(proxy="http://127.0.0.1:9"))} == {FAILURE}


def test_private_addresses_and_files_of_the_source_need_no_network(tmp_path):
    targets = [target_of("a", "a.wav"), target_of("b", "http://192.168.1.5/b.mp3")]
    assert hosts(targets, FetchOptions(proxy="http://127.0.0.1:9")) == []


def test_only_what_the_plan_needs_is_looked_at(tmp_path):
    local = [target_of("a", "a.wav")]
    assert [finding.name for finding in findings(local, FetchOptions(), tmp_path, tmp_path)] == ["disk"]
    names = [finding.name for finding in findings([VIDEO], FetchOptions(proxy="http://127.0.0.1:9"), tmp_path, None)]
    assert names == ["disk", "yt-dlp", "JavaScript runtime", "http://www.youtube.com/"]


def test_no_name_or_password_of_an_address_is_shown():
    target = target_of("song", "http://me:hunter2@music.example/a.mp3")
    (finding,) = hosts([target], FetchOptions(proxy="http://me:hunter2@127.0.0.1:9"))
    assert "hunter2" not in str(finding)
