"""The figures: each a function from tables to a Matplotlib figure, made and saved within `drawing.in_style`.

`names` tells what readers call each language, config -> name, in published order, which decides the colours.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from adjustText import adjust_text  # type: ignore[import-untyped]
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from build.analysis.answers import SCALE
from build.analysis.space import Space
from build.report.drawing import FAINT, INK, PALETTE, QUIET, barh, color, legible, panels, plain
from build.report.fonts import Fonts

Names = Mapping[str, str]

BLUE, ORANGE = PALETTE[0], PALETTE[1]
LOUDNESS_BIN_LU = 1.0
LABEL_STEPS = 200  # in which names in the mood space move apart; more changes little


def term_bars(terms: pa.Table, names: Names, fonts: Fonts, columns: int = 3) -> Figure:
    """The rated terms of each language by their elicitation score, with translations."""
    figure, axes = panels(len(names), columns, 3.6, 4.6)
    for index, (panel, (language, name)) in enumerate(zip(axes, names.items(), strict=True)):
        rows = terms.filter(pc.field("language") == language).sort_by("rank").to_pylist()
        scores = [row["score"] for row in rows]
        barh(panel, [legible(row["term"], row["translation"], fonts) for row in rows], scores, color(index))
        for place, row in enumerate(rows):
            gloss = legible(row["translation"] or "", None, fonts)
            panel.annotate(
                gloss, (row["score"], place), (4, 0), textcoords="offset points", va="center", size=7.5, color=QUIET
            )
        panel.set_xlim(0, max(scores, default=1.0) * 1.3)
        panel.set_title(name)
        panel.set_xlabel("elicitation score")
    return figure


def mood_space(space: Space, terms: pa.Table, names: Names, fonts: Fonts, columns: int = 3) -> Figure:
    """All terms by language in the first panel; then, in a panel a language, its own terms by name among the others."""
    figure, axes = panels(len(names) + 1, columns, 4.2, 4.2)
    languages = np.array([language for language, _ in space.terms])
    shown = {(row["language"], row["term_id"]): row for row in terms.to_pylist()}
    edge = 1.12 * np.abs(space.points).max()
    titles = [f"All languages (stress {space.stress:.2f})", *names.values()]
    for panel, title in zip(axes, titles, strict=True):
        panel.set(title=title, xlim=(-edge, edge), ylim=(-edge, edge), aspect="equal", xticks=[], yticks=[])
        panel.spines[:].set_visible(False)
    figure.draw_without_rendering()  # names are placed by their size in the final layout
    figure.set_layout_engine("none")
    for index, (language, name) in enumerate(names.items()):
        own = space.points[languages == language]
        rows = [shown[key] for key in space.terms if key[0] == language]
        axes[0].scatter(own[:, 0], own[:, 1], s=16, color=color(index), label=name)
        axes[index + 1].scatter(space.points[:, 0], space.points[:, 1], s=8, color=FAINT)
        axes[index + 1].scatter(own[:, 0], own[:, 1], s=14, color=color(index))
        _label(axes[index + 1], own, [legible(row["term"], row["translation"], fonts) for row in rows])
    axes[0].legend(loc="best", fontsize=8, handletextpad=0.1)
    return figure


def _label(panel: Axes, points: np.ndarray, labels: Sequence[str]) -> None:
    """Name points so that names do not overlap; a fixed number of steps keeps it the same on every machine."""
    texts = [panel.text(x, y, label, size=8) for (x, y), label in zip(points, labels, strict=True)]
    line = {"arrowstyle": "-", "color": QUIET, "linewidth": 0.5}
    adjust_text(
        texts,
        *points.T,
        ax=panel,
        expand=(1.15, 1.5),
        force_static=(0.3, 0.4),
        min_arrow_len=8,
        iter_lim=LABEL_STEPS,
        arrowprops=line,
    )


def agreement_intervals(agreement: pa.Table) -> Figure:
    """Between- and within-country r of each concept with 95 % intervals, by between-country r."""
    rows = agreement.sort_by([("between_r", "descending")]).to_pylist()
    figure, [panel] = panels(1, 1, 6.4, 1.1 + 0.34 * len(rows))
    for kind, shade, shift, marker in (("between", BLUE, -0.14, "o"), ("within", ORANGE, 0.14, "s")):
        drawn = [(place + shift, row) for place, row in enumerate(rows) if row[f"{kind}_low"] is not None]
        places = [place for place, _ in drawn]
        panel.hlines(
            places, [row[f"{kind}_low"] for _, row in drawn], [row[f"{kind}_high"] for _, row in drawn], color=shade
        )
        panel.plot([row[f"{kind}_r"] for _, row in drawn], places, marker, color=shade, label=f"{kind} countries")
    panel.set_yticks(range(len(rows)), [f"{plain(row['concept'])} ({len(row['languages'])})" for row in rows])
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.set_xlabel("correlation over songs, with 95 % bootstrap interval")
    panel.grid(axis="x")
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return figure


def rating_histograms(ratings: pa.Table, names: Names, columns: int = 5) -> Figure:
    """How often each answer was given in each language, first answers only."""
    figure, axes = panels(len(names), columns, 2.2, 2.2, share=True)
    first = ratings.filter(pc.field("repetition") == 0)
    for index, (panel, (language, name)) in enumerate(zip(axes, names.items(), strict=True)):
        answers = first.filter(pc.field("language") == language)["rating"].to_numpy()
        percent = 100 * np.array([(answers == value).sum() for value in SCALE]) / max(len(answers), 1)
        panel.bar(SCALE, percent, color=color(index), width=0.8)
        panel.set_xticks(SCALE)
        panel.set_title(f"{name}\n{len(answers):,} ratings")
    axes[0].set_ylabel("% of ratings")
    return figure


def songs_by_country(songs: pa.Table, columns: int = 3) -> Figure:
    """Songs of each country, those with audio dark, in alphabetical order of the country codes."""
    total = Counter(songs["country"].to_pylist())
    heard = Counter(songs.filter(pc.field("status") == "ok")["country"].to_pylist())
    countries = sorted(total)
    chunk = -(-len(countries) // columns)
    starts = range(0, len(countries), chunk)
    figure, axes = panels(len(starts), columns, 2.6, 0.9 + 0.17 * chunk)
    for start, panel in zip(starts, axes, strict=True):
        names = countries[start : start + chunk]
        barh(panel, names, [total[name] for name in names], FAINT)
        panel.barh(range(len(names)), [heard[name] for name in names], color=BLUE, height=0.72)
        panel.set_xlim(0, max(total.values()) * 1.05)
        panel.set_ylim(chunk - 0.4, -0.6)
        panel.set_xlabel("songs")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def loudness(songs: pa.Table) -> Figure:
    """Integrated loudness of the excerpts before (above) and after normalisation (below), in bins of 1 LU."""
    figure, axes = panels(2, 1, 6.4, 1.7)
    axes[0].sharex(axes[1])
    columns = {"as fetched": songs["loudness_in_lufs"], "as published": songs["loudness_out_lufs"]}
    values = {label: column.drop_null().to_numpy() for label, column in columns.items()}
    both = np.concatenate(list(values.values()))
    edges = np.arange(np.floor(both.min()), np.ceil(both.max()) + 2 * LOUDNESS_BIN_LU, LOUDNESS_BIN_LU).tolist()
    for panel, shade, (label, own) in zip(axes, (QUIET, BLUE), values.items(), strict=True):
        panel.hist(own, edges, color=shade)
        panel.set_title(f"{label}: median {np.median(own):.1f} LUFS")
        panel.set_ylabel("songs")
    axes[0].tick_params(labelbottom=False)
    axes[1].set_xlabel("integrated loudness (LUFS)")
    return figure


def availability(songs: pa.Table) -> Figure:
    """Songs by what became of their audio."""
    counted = Counter(sorted(songs["status"].to_pylist())).most_common()
    labels, counts = [label for label, _ in counted], [count for _, count in counted]
    figure, [panel] = panels(1, 1, 6.4, 0.9 + 0.32 * len(labels))
    barh(panel, [plain(label) for label in labels], counts, BLUE)
    for place, count in enumerate(counts):
        panel.annotate(f"{count:,}", (count, place), (4, 0), textcoords="offset points", va="center", color=INK)
    panel.set_xlim(0, max(counts) * 1.1)
    panel.set_xlabel("songs")
    return figure
