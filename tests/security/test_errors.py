"""Errors name files, rows and options, whose names others may have chosen."""

import errno
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


def test_an_error_of_the_machine_is_one_line_too(monkeypatch, capsys):
    def fails(folder) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "work/\x1b[2J.parquet")

    monkeypatch.setattr("build.validate.validate", fails)
    monkeypatch.setattr(sys, "argv", ["build", "validate", "globalmood"])
    with pytest.raises(SystemExit) as end:
        build.cli.main()
    said = capsys.readouterr().err
    assert end.value.code == 1
    assert said.startswith("error: work/\\u001b[2J.parquet: No space left on device; make room, then the same command")
    assert said.count("\n") == 1
