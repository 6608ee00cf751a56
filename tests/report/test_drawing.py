import pytest
from matplotlib.figure import Figure

from build.report.drawing import in_style, legible, panels, plain, png, svg
from build.report.fonts import DEJAVU, fonts_for

LATIN = fonts_for(["sad"], [DEJAVU])
BOTH = fonts_for(["sad 슬픈"])


def drawn(text: str = "슬픈 متوتر") -> Figure:
    figure, [axes] = panels(1, 1, 2, 2)
    axes.bar([1, 2], [3, 4])
    axes.set_title(text)
    return figure


@pytest.mark.parametrize("save", [svg, png])
def test_the_same_figure_has_the_same_bytes(save):
    with in_style(BOTH):
        assert save(drawn()) == save(drawn())


def test_images_hold_no_date_and_no_version():
    with in_style(BOTH):
        image = svg(drawn()).decode()
        assert "<dc:date>" not in image
        assert b"Software" not in png(drawn())


def test_svg_needs_no_font_where_it_is_shown():
    with in_style(BOTH):
        image = svg(drawn()).decode()
    assert "<text" not in image
    assert "font-family" not in image


@pytest.mark.filterwarnings("error")
def test_no_box_is_drawn_for_hangul_and_arabic():
    with in_style(BOTH):
        svg(drawn())  # Matplotlib warns of every glyph that it does not find


def outlines(text: str) -> set[str]:
    with in_style(BOTH):
        image = svg(drawn(text)).decode()
    return {part.split('"')[0] for part in image.split('xlink:href="#')[1:]}


def test_arabic_letters_are_joined():
    """A letter has another outline at the start, inside and at the end of a word than alone."""
    alone = outlines("ه ه ه")
    joined = outlines("ههه")
    assert len(joined) > len(alone)


def test_a_term_that_no_font_draws_gives_way_to_its_translation():
    assert legible("슬픈", "sad", BOTH) == "슬픈"
    missing = fonts_for(["슬픈 sad"], [DEJAVU])
    assert legible("슬픈", "sad", missing) == "sad"
    assert legible("슬픈", None, missing) == "??"
    assert legible("sad", None, LATIN) == "sad"


def test_dollars_do_not_start_a_formula():
    with in_style(LATIN):
        svg(drawn(legible("$\\frac{1}{2$", None, LATIN)))


def test_nothing_in_a_label_breaks_its_line_or_turns_it_around():
    assert plain("a\nb\x1b[2J\u202ec") == "a b [2J c"


def test_long_labels_are_cut():
    assert plain("x" * 30) == "x" * 30
    assert plain("x" * 31) == "x" * 29 + "…"


@pytest.mark.parametrize(("count", "columns", "left"), [(5, 3, 5), (1, 3, 1), (7, 3, 7)])
def test_there_are_as_many_panels_as_asked_for(count, columns, left):
    figure, axes = panels(count, columns, 1, 1)
    assert len(axes) == len(figure.axes) == left
