"""When two chart entries are the same recording: title without versions and featuring, and the set of artists."""

import re

from build.tables import match_key

# What stands in brackets names a version, a guest or a film: (En Vivo), [Official Video], 【MV】, (feat. X).
_BRACKETED = re.compile(r"[(\[{【][^()\[\]{}【】]*[)\]}】]")
_FEATURING = re.compile(r"[\s(\[{【]+(?:feat|ft|featuring)\b.*$")
_BETWEEN_ARTISTS = re.compile(r"[,&;]|\b(?:feat|ft|featuring)\b\.?")
_NOBODY = {"", "--", "n/a"}  # what charts print for an artist they do not know


def title_key(title: str) -> str:
    """The title in matching form (NFKC, case-folded) without bracketed parts and featuring.

    A title that is nothing but brackets stays as it is.

    >>> title_key("Tú (En Vivo)") == title_key("TÚ [Official Video] feat. Somebody")
    True
    """
    whole = bare = match_key(title)
    while (shorter := _BRACKETED.sub(" ", bare)) != bare:
        bare = shorter
    return " ".join(_FEATURING.sub("", bare).split()) or whole


def artist_key(artists: str) -> str:
    """The set of artists, as sorted text; empty where the chart names none.

    Names that hold a separator themselves (Zion & Lennox) come apart, in the same way wherever they stand.

    >>> artist_key("Grupo Firme & Los Elegantes") == artist_key("los elegantes, Grupo Firme & --")
    True
    """
    names = {" ".join(name.split()) for name in _BETWEEN_ARTISTS.split(match_key(artists))}
    return " & ".join(sorted(names - _NOBODY))
