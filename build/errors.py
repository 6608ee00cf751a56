"""The two ways in which a command ends badly; `build.cli` turns them into exit codes and one line of text."""

import errno

_ROOM = "make room"
_RIGHTS = "look who may write there, or name another folder with --out or --work"
OTHERWISE = "see to it"
ADVICE = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: "let files be larger there (`ulimit -f`, or another file system)",
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EROFS: _RIGHTS,
}  # what helps against an error of the operating system


class InputError(Exception):
    """What the user gave cannot be used (exit code 2): a file, a row, an option, a folder.

    The message says which file and row, what was there, what is allowed and what to do next.
    """


class RunError(Exception):
    """The input was fine and the run failed all the same (exit code 1): no network, no room, a broken tool."""


def in_words(error: OSError) -> str:
    """One line for people: which file, what is wrong with it, and what to do.

    >>> in_words(OSError(errno.ENOSPC, "No space left on device", "work/clips/a.flac"))
    'work/clips/a.flac: No space left on device; make room, then the same command goes on from here'
    """
    what = " ".join(str(error.strerror or error).split())
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{what}; {ADVICE.get(error.errno or 0, OTHERWISE)}, then the same command goes on from here"
