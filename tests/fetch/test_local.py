import http.client
from urllib.parse import urlsplit

import pytest

from build.fetch.local import serving


def answer(base: str, path: str) -> tuple[int, bytes]:
    parts = urlsplit(base)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.request("GET", path if path.startswith("/") else parts.path + path)
    response = connection.getresponse()
    return response.status, response.read()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "source" / "audio").mkdir(parents=True)
    (tmp_path / "source" / "audio" / "a b%20.mp3").write_bytes(b"sound")
    (tmp_path / "secret.mp3").write_bytes(b"secret")
    (tmp_path / "source" / "link.mp3").symlink_to(tmp_path / "secret.mp3")
    return tmp_path / "source"


def test_a_file_is_served_as_it_is(folder):
    with serving(folder) as base:
        assert answer(base, "audio/a%20b%2520.mp3") == (200, b"sound")


@pytest.mark.parametrize(
    "path",
    [
        "../secret.mp3",
        "%2e%2e/secret.mp3",
        "audio/%2e%2e/%2e%2e/secret.mp3",
        "//etc/passwd",
        "%2Fetc%2Fpasswd",
        "link.mp3",
    ],
)
def test_nothing_outside_the_folder_is_served(folder, path):
    with serving(folder) as base:
        assert answer(base, path)[0] == 404


@pytest.mark.parametrize(
    "path", ["audio", "", "nosuch.mp3", "audio/a%00b.mp3", "/", "/audio/a%20b%2520.mp3", "/wrong/audio/a%20b%2520.mp3"]
)
def test_folders_missing_files_and_requests_without_the_token_are_refused(folder, path):
    with serving(folder) as base:
        assert answer(base, path)[0] == 404


def test_it_listens_on_this_machine_only(folder):
    with serving(folder) as base:
        assert urlsplit(base).hostname == "127.0.0.1"


def test_without_a_folder_nothing_is_served():
    with serving(None) as base:
        assert base == ""
