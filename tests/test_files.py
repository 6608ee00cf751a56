"""`build.files`: files appear whole or not at all."""

import pytest

from build.files import sha256_of, whole_file, write_bytes


def test_a_file_appears_with_its_content_and_ordinary_permissions(tmp_path):
    write_bytes(tmp_path / "deep" / "a.txt", b"whole")
    assert (tmp_path / "deep" / "a.txt").read_bytes() == b"whole"
    (tmp_path / "plain").touch()
    assert (tmp_path / "deep" / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_failure_in_the_middle_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as partial:
        partial.write_bytes(b"half")
        raise ZeroDivisionError
    assert [(item.name, item.read_bytes()) for item in tmp_path.iterdir()] == [("a.txt", b"old")]


def test_sha256_of_the_standards_example(tmp_path):
    """FIPS 180-2, appendix B.1: the message "abc"."""
    (tmp_path / "abc").write_bytes(b"abc")
    assert sha256_of(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
