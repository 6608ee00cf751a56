from pathlib import Path

import matplotlib as mpl
import pytest
from fontTools.ttLib import TTFont

from build.report import fonts
from build.report.fonts import DEJAVU, candidate_files, characters, fonts_for


def test_characters_are_those_of_the_cmap_by_an_independent_reader():
    assert characters(DEJAVU) == {chr(code) for code in TTFont(DEJAVU).getBestCmap()}


def test_the_font_of_matplotlib_has_the_letters_of_arabic_and_no_hangul():
    assert set("متوتر") <= characters(DEJAVU)
    assert not set("슬픈") & characters(DEJAVU)


def test_the_packages_of_the_build_draw_every_script_of_the_sample():
    found = fonts_for(["sad é ñ œ ç", "슬픈 춤추고", "متوتر مسترخٍ هادئ"])
    assert found.missing == ""
    assert found.advice() is None


def test_fonts_are_asked_in_order_and_only_as_many_as_needed():
    hangul = next(file for file in candidate_files() if "슬" in characters(file))
    assert fonts_for(["sad"], [DEJAVU, hangul]).files == (DEJAVU,)
    assert fonts_for(["sad 슬픈"], [DEJAVU, hangul]).files == (DEJAVU, hangul)


def test_a_missing_script_is_named_with_what_to_install():
    found = fonts_for(["슬픈 sad"], [DEJAVU])
    assert found.missing == "".join(sorted("슬픈"))
    assert "Hangul" in found.advice()
    assert "pip install koreanize-matplotlib" in found.advice()
    assert not found.draws("슬픈")
    assert found.draws("sad")


def test_spaces_and_invisible_characters_need_no_glyph():
    assert fonts_for(["a b\u200f\u00a0\n"], [DEJAVU]).missing == ""


@pytest.mark.parametrize("content", [b"", b"no font at all"])
def test_a_file_that_is_no_font_has_no_characters(tmp_path, content):
    path = tmp_path / "broken.ttf"
    path.write_bytes(content)
    assert characters(path) == frozenset()


@pytest.fixture
def asked_anew():
    """No answer of `candidate_files` is kept from before, and none of the test's is left behind."""
    candidate_files.cache_clear()
    yield
    candidate_files.cache_clear()


@pytest.mark.usefixtures("asked_anew")
def test_without_packaged_fonts_the_system_is_asked(monkeypatch):
    monkeypatch.setattr(fonts, "HANGUL_PACKAGE", "no-such-package")
    monkeypatch.setattr(fonts, "FONT_PACKAGES", "no.such.group")
    system = ["/fonts/A-Bold.ttf", "/fonts/Nanum-Regular.ttf", "/fonts/A-Regular.ttf"]
    monkeypatch.setattr(fonts.font_manager, "findSystemFonts", lambda: system)
    regular_first = ["/fonts/A-Regular.ttf", "/fonts/Nanum-Regular.ttf", "/fonts/A-Bold.ttf"]
    assert candidate_files() == (DEJAVU, *map(Path, regular_first))


def test_families_are_known_to_matplotlib():
    for family in fonts_for(["sad 슬픈"]).register():
        assert mpl.font_manager.findfont(family, fallback_to_default=False)
