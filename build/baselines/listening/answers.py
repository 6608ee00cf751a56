"""Answers of language models, read strictly: one number of the scale, or no answer (pure)."""

import re
import unicodedata

from build.ratings import HIGHEST, LOWEST

_NUMBER = re.compile(r"(\d)(?:[.,٫](\d+))?\.?")


def rating_of(text: str) -> float | None:
    """The rating that a text consists of: a number from 1 to 5, with digits of any script; None for anything else.

    >>> rating_of(" 3,5 "), rating_of("٤"), rating_of("4 out of 5"), rating_of("6")
    (3.5, 4.0, None, None)
    """
    match = _NUMBER.fullmatch(_plain_digits(text.strip()))
    if match is None:
        return None
    value = float(f"{match[1]}.{match[2] or 0}")
    return value if LOWEST <= value <= HIGHEST else None


def _plain_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(character, character)) for character in text)
