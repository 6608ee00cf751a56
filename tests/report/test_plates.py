from dataclasses import replace

import pyarrow as pa
import pytest

from build.analysis.concepts import concepts
from build.report.findings import find
from build.report.fonts import DEJAVU, fonts_for
from build.report.plates import MAIN, card_plates, plates
from tests.report.made import NAMES, WORDS, built

pytestmark = pytest.mark.filterwarnings("error")

TEXTS = [word for words in WORDS.values() for word in words]
FONTS = fonts_for(TEXTS)


@pytest.fixture(scope="module")
def rated():
    data = built()
    return data, find(data, concepts())


def test_every_figure_is_drawn_and_described(rated):
    made = plates(*rated, FONTS)
    assert [plate.name for plate in made] == [
        "terms", "space", "agreement", "ratings", "countries", "loudness", "availability",
    ]  # fmt: skip
    assert all(plate.image.startswith(b"<?xml") for plate in made)
    described = {plate.name: plate.alt for plate in made}
    assert "Korean, 5 terms, first 슬픈, 차분한, 즐거운" in described["terms"]
    assert described["availability"] == "Songs by status: not_found 2, ok 12."


def test_the_card_gets_its_main_figures_as_png(rated):
    made = card_plates(*rated, FONTS)
    assert [plate.name for plate in made] == list(MAIN)
    assert all(plate.image.startswith(b"\x89PNG") for plate in made)


def test_a_dataset_without_ratings_says_what_cannot_be_drawn():
    data = built(rated=False)
    findings = find(data, concepts())
    missing = {plate.name: plate.alt for plate in plates(data, findings, FONTS) if plate.image is None}
    assert missing == {
        "space": "Too few rated terms to place.",
        "agreement": "No concept is rated in at least four languages.",
        "ratings": "This dataset has no ratings.",
    }
    assert [plate.name for plate in card_plates(data, findings, FONTS)] == ["terms"]


@pytest.mark.parametrize(
    ("status", "out_lufs"), [("too_quiet", None), ("decode_error", -5.5)], ids=["not levelled", "not encoded"]
)
def test_an_excerpt_that_was_measured_and_then_given_up_is_no_sound(rated, status, out_lufs):
    data, findings = rated
    rows = [row | {"status": status, "loudness_out_lufs": out_lufs} for row in data.songs.to_pylist()]
    data = replace(data, songs=pa.Table.from_pylist(rows, data.songs.schema))
    (plate,) = (plate for plate in plates(data, findings, FONTS) if plate.name == "loudness")
    assert (plate.image, plate.alt) == (None, "This dataset has no sound.")
    assert len(card_plates(data, findings, FONTS)) == len(MAIN)


def test_a_language_without_terms_and_ratings_leaves_its_panels_empty():
    data = replace(built(), names=NAMES | {"japanese": "Japanese"})
    assert all(plate.image for plate in plates(data, find(data, concepts()), FONTS))


def test_without_a_font_for_hangul_nothing_is_drawn_as_a_box(rated):
    card_plates(*rated, fonts_for(TEXTS, [DEJAVU]))
