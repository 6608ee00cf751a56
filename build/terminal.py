"""The terminal, where text from elsewhere is shown and not obeyed.

Titles, ids, file names and what servers say may hold escape sequences (ECMA-48), which move the cursor, name the window
or write the clipboard, and marks that turn letters around (Unicode UAX #9), so that one name looks like another.
"""

import re
from typing import Any

from rich.console import Console
from rich.text import Text

# C0 and C1 control characters but line feed, bidi overrides, line and paragraph separator, halves of surrogate pairs
_OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""`text` with an escape in place of every character that a terminal would obey; line breaks stay.

    Each escape is one of JSON too, so JSON stays JSON that means the same.

    >>> visible("\x1b[2Jred\u202e")
    '\\u001b[2Jred\\u202e'
    """
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    r"""`visible` text without line breaks: what a title says cannot pass for a line of ours.

    >>> one_line("title\nerror: none")
    'title\\u000aerror: none'
    """
    return visible(text).replace("\n", "\\u000a")


class Terminal(Console):
    """A console that shows all strings, also in the cells of tables, as `visible`; no markup is read from them."""

    def __init__(self, stderr: bool = False, wrap: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=not wrap)

    def render_str(self, text: str, **options: Any) -> Text:
        """As that of the base class."""
        return super().render_str(visible(text), **options)


console = Terminal()
page = Terminal(wrap=True)  # for tables, which are laid out in the width of the window
