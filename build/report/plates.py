"""The figures of a built dataset, each with a description for those who do not see it."""

from collections.abc import Callable, Sized
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.figure import Figure

from build.report import figures
from build.report.built import Built
from build.report.drawing import in_style, png, svg
from build.report.findings import Findings
from build.report.fonts import Fonts

MAIN = ("terms", "space", "agreement", "ratings")  # what the data card shows


@dataclass(frozen=True)
class Plate:
    """A figure as SVG or PNG; `image` is None where there is nothing to draw, and then `alt` says why."""

    name: str
    alt: str
    image: bytes | None


Drawing = Callable[[], Figure]
Save = Callable[[Figure], bytes]


def plates(built: Built, findings: Findings, fonts: Fonts, save: Save = svg) -> list[Plate]:
    """All figures, in the order of the report; the same data give the same bytes. `save` is `svg` or `png`."""
    with in_style(fonts):
        return [Plate(name, alt, save(draw()) if draw else None) for name, alt, draw in _plan(built, findings, fonts)]


def drawn_texts(built: Built) -> list[str]:
    """All text from outside that figures show, for `fonts.fonts_for`."""
    return [text for name in ("term", "translation") for text in built.terms[name].drop_null().to_pylist()]


def card_plates(built: Built, findings: Findings, fonts: Fonts) -> list[Plate]:
    """The main figures that there is something to draw for, as PNG."""
    with in_style(fonts):
        plan = [(name, alt, draw) for name, alt, draw in _plan(built, findings, fonts) if name in MAIN]
        return [Plate(name, alt, png(draw())) for name, alt, draw in plan if draw]


def _plan(built: Built, findings: Findings, fonts: Fonts) -> list[tuple[str, str, Drawing | None]]:
    """Name, description, and how to draw it, if it can be."""
    songs, terms, ratings, names = built.songs, built.terms, built.ratings, built.names
    space, agreement = findings.space, findings.agreement
    heard = songs.filter((pc.field("status") == "ok") & pc.field("loudness_out_lufs").is_valid())
    drawings: list[tuple[str, str, Sized, Drawing]] = [
        ("terms", _terms(terms, names), terms, lambda: figures.term_bars(terms, names, fonts)),
        ("space", _space(findings), space.terms, lambda: figures.mood_space(space, terms, names, fonts)),
        ("agreement", _agreement(agreement), agreement, lambda: figures.agreement_intervals(agreement)),
        ("ratings", _ratings(ratings, names), ratings, lambda: figures.rating_histograms(ratings, names)),
        ("countries", _countries(songs), songs, lambda: figures.songs_by_country(songs)),
        ("loudness", _loudness(heard), heard, lambda: figures.loudness(heard)),
        ("availability", _availability(songs), songs, lambda: figures.availability(songs)),
    ]
    return [(name, alt, draw if len(rows) else None) for name, alt, rows, draw in drawings]


def _terms(terms: pa.Table, names: figures.Names) -> str:
    if not len(terms):
        return "This dataset has no rated terms."
    parts = []
    for language, name in names.items():
        own = terms.filter(pc.field("language") == language).sort_by("rank")["term"].to_pylist()
        parts.append(f"{name}, {len(own)} terms, first {', '.join(own[:3])}")
    return f"Bars of the terms by score: {'; '.join(parts)}."


def _space(findings: Findings) -> str:
    if not findings.space.terms:
        return "Too few rated terms to place."
    return f"{len(findings.space.terms)} terms placed in a plane; stress-1 is {findings.space.stress:.3f}."


def _agreement(agreement: pa.Table) -> str:
    if not len(agreement):
        return "No concept is rated in at least four languages."
    means = [pc.mean(agreement[f"{kind}_r"]).as_py() for kind in ("between", "within")]
    between, within = ("not defined" if mean is None else f"{mean:.2f}" for mean in means)
    return f"Correlations of {len(agreement)} concepts: between countries {between} on average, within {within}."


def _ratings(ratings: pa.Table, names: figures.Names) -> str:
    first = ratings.filter(pc.field("repetition") == 0)
    if not len(first):
        return "This dataset has no ratings."
    answers = {name: first.filter(pc.field("language") == language)["rating"] for language, name in names.items()}
    means = [f"{name} {pc.mean(own).as_py():.2f}" for name, own in answers.items() if len(own)]
    return f"Histograms of the answers 1 to 5 in each language; mean answers: {', '.join(means)}."


def _countries(songs: pa.Table) -> str:
    return f"{len(songs):,} songs of {len(pc.unique(songs['country']))} countries."


def _loudness(heard: pa.Table) -> str:
    if not len(heard):
        return "This dataset has no sound."
    before, after = (pc.mean(heard[name]).as_py() for name in ("loudness_in_lufs", "loudness_out_lufs"))
    return f"Histograms of loudness: on average {before:.1f} LUFS as fetched, {after:.1f} LUFS as published."


def _availability(songs: pa.Table) -> str:
    counts = songs.group_by("status").aggregate([("status", "count")]).sort_by("status").to_pylist()
    return "Songs by status: " + ", ".join(f"{row['status']} {row['status_count']:,}" for row in counts) + "."
