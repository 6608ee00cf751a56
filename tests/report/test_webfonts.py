import io

import pytest
from fontTools.ttLib import TTFont

from build.report.fonts import DEJAVU, candidate_files, characters
from build.report.webfonts import cut, font_faces

HANGUL = next(file for file in candidate_files() if "슬" in characters(file))


def test_a_cut_font_has_the_letters_asked_for_and_says_whose_it_is():
    font = TTFont(io.BytesIO(cut(HANGUL, "슬픈")))
    assert {chr(code) for code in font.getBestCmap()} == {"슬", "픈"}
    assert font["name"].getDebugName(0).startswith("Copyright")


def test_arabic_keeps_the_shapes_that_letters_take_in_words():
    font = TTFont(io.BytesIO(cut(DEJAVU, "ه")))
    features = {record.FeatureTag for record in font["GSUB"].table.FeatureList.FeatureRecord}
    assert {"init", "medi", "fina"} <= features
    assert len(font.getGlyphOrder()) >= 5  # .notdef and four shapes


def test_a_cut_font_is_small_and_the_same_every_time():
    assert cut(HANGUL, "슬픈") == cut(HANGUL, "픈슬")
    assert len(cut(HANGUL, "슬픈")) < HANGUL.stat().st_size / 100


def test_each_letter_comes_from_the_first_font_that_has_it():
    faces = font_faces(["sad Этюд é", "متوتر", "슬픈"], [DEJAVU, HANGUL]).splitlines()
    assert len(faces) == 2
    assert "U+62A" in faces[0]
    assert f"unicode-range: U+{ord('슬'):X},U+{ord('픈'):X};" in faces[1]


@pytest.mark.parametrize("texts", [[], ["sad é Этюд σ № 1"], ["슬픈"]])
def test_without_foreign_letters_or_a_font_for_them_there_is_no_face(texts):
    assert font_faces(texts, [DEJAVU]) == ""
