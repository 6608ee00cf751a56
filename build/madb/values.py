"""Cells of MADB's files -> values, or an InputError that says where the cell is and what it may hold."""

import math
import re

from build.errors import InputError

LOWEST, HIGHEST = 1.0, 5.0  # the scale of the scores
NOT_APPLICABLE = 0.0  # in the source: the dimension does not apply to the track
HIGHEST_ID, MOST_DIGITS = 2**31 - 1, 20  # ids are int32; leading zeros may make them longer
TRUE, FALSE = {"true", "1", "yes"}, {"false", "0", "no"}
_SEPARATOR = re.compile(r"\s*[|,，、;]\s*")


def score(text: str, where: str) -> float | None:
    """A score of 1 to 5; None where the cell is empty or 0, which stands for not applicable."""
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if value == NOT_APPLICABLE:
        return None
    if not LOWEST <= value <= HIGHEST:
        raise InputError(f"{where}: score {text!r} must be {LOWEST:g} to {HIGHEST:g}, or 0 where it does not apply")
    return value


def number(text: str, where: str) -> int:
    """A whole number from 0 to HIGHEST_ID."""
    digits = text.strip()
    if not (digits.isdecimal() and len(digits) <= MOST_DIGITS and int(digits) <= HIGHEST_ID):
        raise InputError(f"{where}: id {text!r} must be a whole number, {HIGHEST_ID} at most")
    return int(digits)


def flag(text: str, where: str) -> bool:
    """Whether a cell says true."""
    if text.strip().casefold() not in TRUE | FALSE:
        raise InputError(f"{where}: {text!r} must be TRUE or FALSE")
    return text.strip().casefold() in TRUE


def tags(text: str) -> list[str]:
    """Tags in a cell (`passionable | sad`, `['pop', 'dj']`), each once, in order."""
    inner = text.strip().removeprefix("[").removesuffix("]")
    parts = (part.strip("'\" ") for part in _SEPARATOR.split(inner))
    return list(dict.fromkeys(part for part in parts if part))
