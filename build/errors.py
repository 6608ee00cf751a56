"""The two ways in which a command ends badly; `build.cli` turns them into exit codes and one line of text."""


class InputError(Exception):
    """What the user gave cannot be used (exit code 2): a file, a row, an option, a folder.

    The message says which file and row, what was there, what is allowed and what to do next.
    """


class RunError(Exception):
    """The input was fine and the run failed all the same (exit code 1): no network, no room, a broken tool."""
