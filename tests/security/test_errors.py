"""Errors name files, rows and options, whose names others may have chosen."""

import sys

import pytest

import build.cli
from tests.security.hostile import ESCAPES, OBEYED


@pytest.mark.parametrize("text", [text for text in ESCAPES.values() if "\0" not in text], ids=repr)
def test_an_error_shows_names_and_does_not_obey_them(text, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["build", "validate", text.replace("/", "")])
    with pytest.raises(SystemExit) as end:
        build.cli.main()
    said = capsys.readouterr()
    assert end.value.code == 2
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith("error: ")
    assert not OBEYED.search(said.err)
