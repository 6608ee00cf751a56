"""`build.errors`: an error of the operating system in one line."""

import errno
import os

import pytest

from build.errors import in_words


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "make room"),
        (errno.EDQUOT, "make room"),
        (errno.EFBIG, "let files be larger there"),
        (errno.EACCES, "look who may write there, or name another folder with --out or --work"),
        (errno.EROFS, "look who may write there, or name another folder with --out or --work"),
        (errno.EIO, "see to it"),
    ],
)
def test_file_cause_and_advice(number, advice):
    line = in_words(OSError(number, os.strerror(number), "work/clips/a.flac"))
    assert line.startswith(f"work/clips/a.flac: {os.strerror(number)}; {advice}")
    assert line.endswith(", then the same command goes on from here")


def test_arrows_own_words_are_one_line_without_a_file():
    line = in_words(OSError(errno.ENOSPC, "Error writing bytes to file.\nDetail: [errno 28] No space left on device"))
    assert line.startswith("Error writing bytes to file. Detail: [errno 28] No space left on device; make room")
