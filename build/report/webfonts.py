"""Letters that a page brings along: subsets of fonts, cut to the characters in it, for scripts that a reader may lack.

Latin, Greek and Cyrillic are left to the reader's own fonts, which come first for all scripts.
"""

import base64
import io
import logging
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from build.report.fonts import characters, fonts_for

logging.getLogger("fontTools.subset").setLevel(logging.ERROR)  # it warns of every table of font editors it drops

FAMILY = "Report"
FIRST_FOREIGN = 0x0530  # letters below are Latin, Greek or Cyrillic
LEGAL_NAMES = [0, 1, 2, 13, 14]  # ids of copyright, family, style and licence in the name table: they stay


def font_faces(texts: Iterable[str], candidates: Iterable[Path] | None = None) -> str:
    """CSS that defines the font family FAMILY for the foreign letters in `texts`, as far as a font here has them."""
    wanted = {character for text in texts for character in text if _is_foreign(character)}
    rules = []
    for file in fonts_for(wanted, candidates).files:
        own = wanted & characters(file)
        wanted -= own
        if own:
            rules.append(_face(file, own))
    return "\n".join(rules)


def _is_foreign(character: str) -> bool:
    return ord(character) >= FIRST_FOREIGN and unicodedata.category(character)[0] in "LM"


def _face(file: Path, own: set[str]) -> str:
    content = base64.b64encode(cut(file, own)).decode()
    codes = ",".join(f"U+{ord(character):X}" for character in sorted(own))
    source = f'url(data:font/woff;base64,{content}) format("woff")'
    return f'@font-face {{ font-family: "{FAMILY}"; src: {source}; unicode-range: {codes}; }}'


def cut(file: Path, own: Iterable[str]) -> bytes:
    """A WOFF file with the glyphs of `own` characters and all shapes that they take in words, the same each time."""
    options = subset.Options(
        flavor="woff", layout_features=["*"], hinting=False, name_IDs=LEGAL_NAMES, recalc_timestamp=False
    )
    font = TTFont(file, fontNumber=0, recalcTimestamp=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(own))
    subsetter.subset(font)
    font.flavor = options.flavor
    target = io.BytesIO()
    font.save(target)
    return target.getvalue()
