"""`build.terminal`: what comes from elsewhere is shown, and does nothing."""

import json
import re

import pytest
from rich.table import Table

from build.terminal import Terminal, one_line, visible
from tests.security.hostile import ESCAPES, OBEYED


@pytest.mark.parametrize("text", ESCAPES.values(), ids=list(ESCAPES))
def test_what_a_terminal_would_obey_is_shown_as_an_escape(text, capsys):
    Terminal().print(f"title: {text}!")
    shown = capsys.readouterr().out
    assert not OBEYED.search(shown)
    told = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), shown)
    assert told == f"title: {text}!\n", "no character is lost"


def test_cells_titles_and_headers_of_tables_are_shown_too(capsys):
    table = Table("\x1b[2J", title="\u202etitle")
    table.add_row("\x9b31m")
    Terminal(wrap=True).print(table)
    shown = capsys.readouterr().out
    assert not OBEYED.search(shown)
    assert all(text in shown for text in ("\\u001b[2J", "\\u202etitle", "\\u009b31m"))


def test_brackets_and_colons_are_no_markup(capsys):
    Terminal().print("[bold]loud[/bold] [/nothing] :smile:")
    assert capsys.readouterr().out == "[bold]loud[/bold] [/nothing] :smile:\n"


@pytest.mark.parametrize("text", ["한국어", "موسيقى", "हिन्दी\u200dक्", "Dvořák – “Rusalka” 👩\u200d🎤", "\u200fعربي"])
def test_writing_of_all_scripts_stays(text):
    assert visible(text) == text


def test_half_a_surrogate_pair_can_be_printed(capsys):
    Terminal().print("\ud800")
    assert capsys.readouterr().out == "\\ud800\n"


def test_a_long_line_is_left_to_the_terminal_to_wrap(capsys):
    Terminal().print("word " * 100)
    assert capsys.readouterr().out.count("\n") == 1


def test_errors_go_to_the_other_stream(capsys):
    Terminal(stderr=True).print("error")
    assert capsys.readouterr() == ("", "error\n")


def test_json_stays_json_of_the_same_meaning():
    told = {"title": "\x1b[2J\u202e\x9b한국"}
    assert json.loads(visible(json.dumps(told, ensure_ascii=False))) == told


def test_a_title_cannot_pass_for_a_line():
    assert one_line("title\nerror: none") == "title\\u000aerror: none"
    assert visible("one\ntwo") == "one\ntwo"
