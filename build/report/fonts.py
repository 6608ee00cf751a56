"""Fonts for the scripts of the terms: which ones are here, which characters they hold, and what to install.

Matplotlib brings DejaVu Sans (Latin, Cyrillic, Greek, Arabic, Hebrew), the package koreanize-matplotlib NanumGothic
(Hangul, kana, most Han characters), and packages named fontpkg-... other families; what is installed on the system
comes last. A character without a glyph would be drawn as a box, so figures fall back to a term's translation.
"""

import importlib.metadata
import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

DEJAVU = Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
HANGUL_PACKAGE = "koreanize-matplotlib"
FONT_PACKAGES = "fontpkg.family"  # entry points of the packages fontpkg-noto-sans-thai and so on
_OTHER_STYLE = re.compile("Bold|Light|Italic|Thin|Medium|Black")
_INKLESS = ("C", "Z")  # Unicode categories that need no glyph: control, format, separators


@dataclass(frozen=True)
class Fonts:
    """Font files to draw with, the first that has a character draws it, and the characters that none has."""

    files: tuple[Path, ...]
    missing: str

    def register(self) -> list[str]:
        """Make the files known to Matplotlib, and return their family names."""
        for file in self.files:
            font_manager.fontManager.addfont(file)
        return [FT2Font(file).family_name for file in self.files]

    def draws(self, text: str) -> bool:
        """Whether every character of `text` has a glyph."""
        return not set(text) & set(self.missing)

    def advice(self) -> str | None:
        """What to install so that nothing is missing; None where nothing is."""
        if not self.missing:
            return None
        scripts = sorted({unicodedata.name(character, "UNNAMED").split()[0].capitalize() for character in self.missing})
        return (
            f"no font here draws {', '.join(scripts)} ({self.missing[:10]}), so figures show translations instead; "
            f"install one: pip install {HANGUL_PACKAGE} (Hangul) or fontpkg-noto-sans-..., or your system's Noto fonts "
            "(Debian and Ubuntu: apt-get install fonts-noto-core fonts-noto-cjk)"
        )


def fonts_for(texts: Iterable[str], candidates: Iterable[Path] | None = None) -> Fonts:
    """The fewest of `candidates` (default: `candidate_files`), in their order, that draw all characters of `texts`."""
    missing = {character for text in texts for character in text if unicodedata.category(character)[0] not in _INKLESS}
    files: list[Path] = []
    for file in candidate_files() if candidates is None else candidates:
        found = missing & characters(file)
        if found or not files:
            files.append(file)
            missing -= found
        if not missing:
            break
    return Fonts(tuple(files), "".join(sorted(missing)))


@cache
def candidate_files() -> tuple[Path, ...]:
    """Matplotlib's DejaVu Sans, fonts in packages that are installed, then the system's fonts by name."""
    system = [Path(file) for file in font_manager.findSystemFonts()]
    regular_first = sorted(system, key=lambda file: ("regular" not in file.name.lower(), file.name, str(file)))
    return (DEJAVU, *_packaged(), *regular_first)


def _packaged() -> list[Path]:
    """Upright regular fonts in installed packages. Nothing of these packages is imported: they may change settings."""
    found = [entry.dist for entry in importlib.metadata.entry_points(group=FONT_PACKAGES) if entry.dist]
    with suppress(importlib.metadata.PackageNotFoundError):
        found.insert(0, importlib.metadata.distribution(HANGUL_PACKAGE))
    files = [(dist, file) for dist in found for file in dist.files or () if file.suffix in (".ttf", ".otf")]
    return [Path(str(dist.locate_file(file))) for dist, file in files if not _OTHER_STYLE.search(file.stem)]


@cache
def characters(file: Path) -> frozenset[str]:
    """The characters that have a glyph in a font file; none where it cannot be read or holds only bitmaps."""
    try:
        font = FT2Font(file)
    except (RuntimeError, OSError):
        return frozenset()
    if not font.scalable:
        return frozenset()
    return frozenset(map(chr, font.get_charmap()))
