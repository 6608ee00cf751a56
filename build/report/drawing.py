"""How every figure is drawn and saved: one style, and the same bytes for the same data."""

import io
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from build.report.fonts import Fonts

PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#B8860B",
    "#56B4E9",
    "#7A4FBF",
    "#404040",
)  # after Okabe and Ito
INK, QUIET, FAINT = "#222222", "#6B6B6B", "#DDDDDD"
PNG_DPI = 150
LONGEST_LABEL = 30  # characters
# control characters, line breaks and bidi overrides
_UNDRAWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_SALT = "globalmood"  # of the ids in SVG, which are random otherwise


def style(fonts: Fonts) -> dict[str, object]:
    """Matplotlib settings of every figure, for `mpl.rc_context`."""
    return {
        "font.family": fonts.register(),
        "font.size": 9,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": QUIET,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 10,
        "axes.titleweight": "normal",
        "axes.titlelocation": "left",
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "ytick.labelcolor": INK,
        "axes.grid": False,
        "grid.color": FAINT,
        "legend.frameon": False,
        "svg.hashsalt": _SALT,
        "svg.fonttype": "path",
        "path.simplify": True,
    }


def color(index: int) -> str:
    """The colour of the language at `index`; colours come round again after eight."""
    return PALETTE[index % len(PALETTE)]


def panels(count: int, columns: int, width: float, height: float, share: bool = False) -> tuple[Figure, list[Axes]]:
    """A figure with `count` panels in rows of `columns`, each `width` x `height` inches."""
    columns = max(min(count, columns), 1)
    rows = -(-count // columns)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharex=share, sharey=share).ravel()
    for spare in axes[count:]:
        spare.remove()
    return figure, list(axes[:count])


def svg(figure: Figure) -> bytes:
    """The figure as SVG with its letters as outlines: it needs no font where it is shown. Call it within `style`."""
    return _saved(figure, "svg", {"Date": None, "Creator": None})


def png(figure: Figure) -> bytes:
    """The figure as PNG. Call it within `style`."""
    return _saved(figure, "png", {"Software": None})


def _saved(figure: Figure, kind: str, metadata: dict[str, None]) -> bytes:
    target = io.BytesIO()
    figure.savefig(target, format=kind, metadata=metadata, dpi=PNG_DPI)
    return target.getvalue()


def legible(term: str, translation: str | None, fonts: Fonts) -> str:
    """The term itself where it can be drawn, else its translation, else question marks for what is missing."""
    if fonts.draws(term):
        return plain(term)
    if translation and fonts.draws(translation):
        return plain(translation)
    return plain("".join(character if fonts.draws(character) else "?" for character in term))


def plain(text: str) -> str:
    """`text` on one line of a label's length, safe from Matplotlib's formula mode, which begins at a dollar sign."""
    line = _UNDRAWN.sub(" ", text)
    label = line if len(line) <= LONGEST_LABEL else line[: LONGEST_LABEL - 1] + "…"
    return label.replace("$", r"\$")


def in_style(fonts: Fonts) -> AbstractContextManager[None]:
    """The context in which figures are made and saved."""
    return mpl.rc_context(style(fonts))


def barh(axes: Axes, labels: Sequence[str], values: Sequence[float], shade: str) -> None:
    """Horizontal bars from top to bottom."""
    axes.barh(range(len(labels)), values, color=shade, height=0.72)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
