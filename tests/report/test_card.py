from build.report.card import card_figures
from build.report.plates import MAIN
from tests.report.made import built


def test_the_card_gets_its_figures_from_the_tables_of_a_build():
    data = built()
    figures = card_figures("folder", "1.0.0", data.songs, data.terms, data.ratings, data.cells)
    assert [figure.name for figure in figures] == list(MAIN)
    assert all(figure.image.startswith(b"\x89PNG") and figure.alt for figure in figures)


def test_without_ratings_the_card_shows_the_terms_alone():
    data = built(rated=False)
    figures = card_figures("folder", "1.0.0", data.songs, data.terms, data.ratings, data.cells)
    assert [figure.name for figure in figures] == ["terms"]
