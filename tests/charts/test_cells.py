import pytest
from hypothesis import given
from hypothesis import strategies as st

from build.charts.cells import parse_chart
from build.charts.files import HEADERS, header_roles
from build.charts.names import RefusedError
from tests.charts.made import HEADER_2022, HEADER_2025, WATCH

ROLES = header_roles(HEADERS)


def cells(text: str, encoding: str = "utf-8"):
    table, misshapen = parse_chart(text.encode(encoding), ROLES)
    return [tuple(row.values()) for row in table.to_pylist()], misshapen


@pytest.mark.parametrize("header", [HEADER_2022, HEADER_2025, HEADER_2022.replace("Track Name", "Video Title")])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_headers_of_all_years_with_and_without_a_byte_order_mark(header, encoding, end):
    text = f'{header}\n1,n/a,"Tú, ""yo""",A & B,7,100,46%,{WATCH}x{end}'
    assert cells(text, encoding) == ([("1", 'Tú, "yo"', "A & B", WATCH + "x")], {})


def test_a_file_saved_again_by_pandas():
    text = f",{HEADER_2022},week_open,week_close\n0,3.0,,NA,nan,7,,,{WATCH},2021-12-31,2022-01-06\n"
    assert cells(text) == ([("3.0", "NA", "nan", WATCH)], {})


def test_a_line_break_inside_quotes_stays_in_its_cell():
    assert cells(f'{HEADER_2025}\n1,,"two\nlines",B,7,1,,u\n2,,next,B,7,1,,v')[0][0] == ("1", "two\nlines", "B", "u")


def test_lines_of_another_length_are_told_by_their_row():
    found, misshapen = cells(f"{HEADER_2025}\n1,,a,B,7,1,,u\n2,,b\n3,,c,D,7,1,,w\n4,,c,D,E,F,7,1,,w\n")
    assert [row[0] for row in found] == ["1", "3"]
    assert misshapen == {
        3: "3 cells, the header has 8: 2,,b",
        5: "10 cells, the header has 8: 4,,c,D,E,F,7,1,,w",
    }


@pytest.mark.parametrize("before", [" \n", "\t\n\n", "\ufeff \r\n", "\u3000\n", "\n\n"])
def test_blank_lines_before_the_header_do_not_count(before):
    found, misshapen = cells(f"{before}{HEADER_2025}\n1,,a,B,7,1,,u\n2,,b\n")
    assert found == [("1", "a", "B", "u")]
    assert list(misshapen) == [3]


def test_a_download_that_broke_off_inside_quotes_keeps_its_whole_lines():
    found, misshapen = cells(f'{HEADER_2025}\n1,,a,B,7,1,,u\n2,,"b, c\n3,,d')
    assert [row[0] for row in found] == ["1"]
    assert list(misshapen) == [3]


def test_a_long_line_of_another_length_is_cut_short_in_what_is_told():
    _, misshapen = cells(f"{HEADER_2025}\n1,,a,B,7,1,,u\n" + "x" * 10_000)
    assert len(misshapen[3]) < 300


@pytest.mark.parametrize(
    ("payload", "reason", "detail"),
    [
        (b"", "empty", "nothing in the file"),
        (b"\xef\xbb\xbf \n\n", "empty", "nothing in the file"),
        (HEADER_2025.encode(), "empty", "no line below the header"),
        (HEADER_2025.encode() + b"\n\n", "empty", "no line below the header"),
        (b"\n<!DOCTYPE html><html>", "html", "a web page"),
        (b"x" * 200_000, "malformed", "field larger than field limit"),
        (HEADER_2025.encode() + "\n1,,Tú,B,7,1,,u".encode("latin-1"), "not_utf8", "save the file as UTF-8"),
        (HEADER_2025.encode("utf-16"), "not_utf8", "byte 0"),
        (b"Rank,Artist Name,YouTube URL\n1,a,b\n", "no_column", "['title', 'artist']"),
        (b"Rank,Rank,Track Name,Artist Names,YouTube URL\n1,1,a,b,c\n", "no_column", "['rank']"),
        (HEADER_2025.replace(",", ";").encode() + b"\n1;;a;b;1;1;;u", "no_column", "the header is ['Rank;Previous"),
    ],
)
def test_what_is_no_chart_is_refused(payload, reason, detail):
    with pytest.raises(RefusedError) as refused:
        parse_chart(payload, ROLES)
    assert refused.value.reason == reason
    assert detail in refused.value.detail


BLANKS = st.text(" \t\r\n\x0b\x0c\x1c\x85\u2028\u3000\ufeff", max_size=5)


@given(
    st.binary(max_size=200)
    | st.tuples(BLANKS, st.just(f"{HEADER_2025}\n"), st.text(max_size=200)).map(
        lambda parts: "".join(parts).encode(errors="replace")
    )
)
def test_any_bytes_are_read_or_refused(payload):
    try:
        table, misshapen = parse_chart(payload, ROLES)
    except RefusedError:
        return
    assert table.num_rows + len(misshapen) > 0
