"""`build.files`: files appear whole or not at all."""

import pyarrow as pa
import pytest

from build.errors import InputError
from build.files import read_table, sha256_of, whole_file, write_bytes, write_table


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


def test_a_table_comes_back(tmp_path):
    table = pa.table({"a": [1, 2]})
    write_table(tmp_path / "t.parquet", table)
    assert read_table(tmp_path / "t.parquet", "songs") == table


def test_a_table_that_is_not_there_names_its_verb(tmp_path):
    with pytest.raises(InputError, match=r"t\.parquet is not there: run `python -m build songs` first"):
        read_table(tmp_path / "t.parquet", "songs")


@pytest.mark.parametrize("damage", ["zeros", "cut", "flip"])
def test_a_damaged_table_names_its_verb(tmp_path, damage):
    path = tmp_path / "t.parquet"
    write_table(path, pa.table({"a": list(range(1000))}))
    payload = bytearray(path.read_bytes())
    flipped = payload[:100] + bytes([payload[100] ^ 1]) + payload[101:]
    path.write_bytes({"zeros": bytes(len(payload)), "cut": payload[:50], "flip": flipped}[damage])
    with pytest.raises(InputError, match=r"t\.parquet is damaged \(.*\): run `python -m build songs` again"):
        read_table(path, "songs")
