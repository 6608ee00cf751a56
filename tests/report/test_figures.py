import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pytest

from build.analysis.agreement import AGREEMENT, agreement
from build.analysis.concepts import CONCEPTS
from build.analysis.space import space
from build.report import figures
from build.report.drawing import in_style, svg
from build.report.fonts import fonts_for
from tests.report.made import GLOSSES, NAMES, WORDS, built

pytestmark = pytest.mark.filterwarnings("error")

FONTS = fonts_for([word for words in WORDS.values() for word in words])
BUILT = built()
CONCEPT_ROWS = pa.Table.from_pylist([{"concept": gloss, "gloss": gloss} for gloss in GLOSSES], CONCEPTS)


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(mpl.text.Text) if text.get_text()]


@pytest.fixture(autouse=True)
def _styled():
    with in_style(FONTS):
        yield


def test_bars_name_every_term_with_its_translation_in_order_of_rank():
    figure = figures.term_bars(BUILT.terms, NAMES, FONTS)
    svg(figure)
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(NAMES.values())
    arabic = figure.axes[4]
    assert [label.get_text() for label in arabic.get_yticklabels()] == list(WORDS["arabic"])
    assert [text.get_text() for text in arabic.texts] == list(GLOSSES)
    tops = [label.get_window_extent().y0 for label in arabic.get_yticklabels()]
    assert tops == sorted(tops, reverse=True)


def test_bars_are_as_long_as_the_scores():
    figure = figures.term_bars(BUILT.terms, NAMES, FONTS)
    own = BUILT.terms.filter(pa.compute.field("language") == "french").sort_by("rank")
    assert [bar.get_width() for bar in figure.axes[1].patches] == own["score"].to_pylist()


def test_the_mood_space_names_each_language_in_its_own_panel():
    found = space(BUILT.cells)
    figure = figures.mood_space(found, BUILT.terms, NAMES, FONTS)
    svg(figure)
    assert [text.get_text() for text in figure.axes[4].texts if text.get_text()] == list(WORDS["korean"])
    everyone = np.concatenate([dots.get_offsets() for dots in figure.axes[0].collections])
    assert len(everyone) == 25


def test_the_mood_space_is_drawn_the_same_twice():
    found = space(BUILT.cells)
    one, two = (svg(figures.mood_space(found, BUILT.terms, NAMES, FONTS)) for _ in range(2))
    assert one == two


def test_agreement_is_drawn_from_high_to_low_with_its_intervals():
    shared, _ = agreement(BUILT.ratings, BUILT.cells, BUILT.terms, CONCEPT_ROWS, n_splits=3, n_draws=20)
    figure = figures.agreement_intervals(shared)
    svg(figure)
    rows = sorted(shared.to_pylist(), key=lambda row: -row["between_r"])
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [f"{row['concept']} (5)" for row in rows]
    between = figure.axes[0].collections[0].get_segments()
    assert [segment[:, 0].tolist() for segment in between] == [
        [row["between_low"], row["between_high"]] for row in rows
    ]


def test_agreement_without_a_defined_value_leaves_its_mark_out():
    empty = {name: None for name in AGREEMENT.names if name.startswith(("between", "within"))}
    counts = {name: 0 for name in AGREEMENT.names if name.startswith("n_")}
    row = empty | counts | {"concept": "fun", "languages": ["a", "b"], "term_ids": ["x", "y"]}
    figure = figures.agreement_intervals(pa.Table.from_pylist([row], AGREEMENT))
    svg(figure)
    assert "fun (2)" in texts(figure)


def test_histograms_show_percent_of_first_answers():
    figure = figures.rating_histograms(BUILT.ratings, NAMES)
    answers = BUILT.ratings.filter(pa.compute.field("language") == "english")["rating"].to_numpy()
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == pytest.approx([100 * (answers == value).mean() for value in range(1, 6)])
    assert "English\n280 ratings" in texts(figure)


def test_countries_show_all_songs_and_those_with_sound():
    figure = figures.songs_by_country(BUILT.songs)
    svg(figure)
    labels = [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
    assert labels == ["BR", "KR", "NA"]
    widths = [[bar.get_width() for bar in axes.patches] for axes in figure.axes]
    assert widths == [[5, 4], [5, 4], [4, 4]]


def test_loudness_counts_every_song_before_and_after():
    figure = figures.loudness(BUILT.songs)
    svg(figure)
    assert [sum(bar.get_height() for bar in axes.patches) for axes in figure.axes] == [12, 12]


def test_availability_is_sorted_by_count():
    figure = figures.availability(BUILT.songs)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["ok", "not_found"]
    assert [bar.get_width() for bar in figure.axes[0].patches] == [12, 2]
