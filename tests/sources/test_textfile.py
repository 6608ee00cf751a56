"""`build.sources.textfile`: files in the wild, each read as it is or refused with the row that is wrong."""

import pytest

from build.errors import InputError
from build.sources.textfile import read_csv


def file_of(folder, content: bytes):
    path = folder / "songs.csv"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("word", ["NA", "NULL", "nan", "TRUE", "None", "1.0", "007", "-"])
def test_words_that_look_like_something_else_stay_strings(tmp_path, word):
    assert read_csv(file_of(tmp_path, f"title,year\n{word},\n".encode())).to_pylist() == [{"title": word, "year": ""}]


def test_byte_order_mark_is_no_part_of_the_first_header(tmp_path):
    assert read_csv(file_of(tmp_path, "\ufefftitle\nSánchez\n".encode())).to_pylist() == [{"title": "Sánchez"}]


def test_quoted_commas_quotes_and_line_breaks(tmp_path):
    table = read_csv(file_of(tmp_path, b'title,artist\r\n"a, ""b""","two\nlines"\r\n'))
    assert table.to_pylist() == [{"title": 'a, "b"', "artist": "two\nlines"}]


@pytest.mark.parametrize("content", [b"\n\r\n a,b\n1,2\n", b"\xef\xbb\xbf a,b\n1,2", b' a,"b"\n1,2\n'])
def test_white_space_before_the_header_stays_in_its_name(tmp_path, content):
    assert read_csv(file_of(tmp_path, content)).to_pylist() == [{" a": "1", "b": "2"}]


@pytest.mark.parametrize("content", [b"a,b", b"a,b\n", b"a,b\r\n"])
def test_header_alone_is_a_table_without_rows(tmp_path, content):
    table = read_csv(file_of(tmp_path, content))
    assert (table.column_names, table.num_rows) == (["a", "b"], 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (b"\n<!DOCTYPE html><html>", "this is a web page"),
        (b"<HTML>,b\n", "this is a web page"),
        ("a,b\n1,2\né,3\n".encode("latin-1"), "line 3: byte 0xe9 is not UTF-8"),
        (b"a,b\n1,2\n3,4,5\n", "row 3: has 3 fields and the header 2"),
        (b'a,b\n"1\n1",2\n3\n', "row 3: has 1 fields and the header 2"),
        (b"a\xff,b\n1,2\n", "line 1: byte 0xff is not UTF-8"),
        (b"\x80", "line 1: byte 0x80 is not UTF-8"),
        (b"a\rb,c\n1,2\n", "row 1: the header cannot be read: new-line character"),
        (b'"a,b\n1,2\n', "CSV parse error"),
        (b"a,b\n" + b'"' + b"x" * 200_000 + b'",2\n1\n', "row 2: field larger than field limit"),
        (b"a,b,a\n1,2,3\n", r"names \['a'\] more than once"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_row(tmp_path, content, message):
    with pytest.raises(InputError, match=rf"songs\.csv.*{message}"):
        read_csv(file_of(tmp_path, content))
