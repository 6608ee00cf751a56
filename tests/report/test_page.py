import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from build.analysis.concepts import concepts
from build.report.findings import Findings, find
from build.report.page import clean, content_policy, fixed, render
from build.report.plates import Plate
from build.report.webfonts import font_faces
from tests.report.made import HOSTILE, NAMES, built

FIGURES = ("terms", "space", "agreement", "ratings", "countries", "loudness", "availability")
PLATES = [Plate(name, f"what {name} shows", b"<svg/>") for name in FIGURES]
SOUND = {"s0003": b"sound"}
NOTES = ["a <note>"]
FACES = font_faces(["슬픈"])


@pytest.fixture(scope="module")
def findings() -> Findings:
    return find(built(), concepts())


@pytest.fixture(scope="module")
def page(findings) -> str:
    return render(built(), findings, PLATES, SOUND, FACES, NOTES)


class Reader(HTMLParser):
    """Elements with their attributes, and the text of each row of the table of songs."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict]] = []
        self.rows: dict[str, str] = {}
        self.row: str | None = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "tr":
            self.row = dict(attrs).get("data-song")

    def handle_data(self, data):
        if self.row is not None:
            self.rows[self.row] = self.rows.get(self.row, "") + data

    def all(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_hostile_titles_stay_text(page):
    reader = Reader(page)
    assert len(reader.all("script")) == 2
    assert {tag for tag, _ in reader.elements} & {"iframe", "object", "embed", "base", "form"} == set()
    assert not [name for _, attributes in reader.elements for name in attributes if name.startswith("on")]
    for index, title in enumerate(HOSTILE):
        assert clean(title) in reader.rows[str(index)]


def test_control_characters_are_taken_out_and_unknown_directions_isolated(page):
    assert "\u0007" not in page
    assert "<bdi>\u202eright to left override" in page


def test_nothing_is_loaded_from_elsewhere(page):
    for tag, attributes in Reader(page).elements:
        for name in ("src", "href", "srcset", "poster", "data", "action"):
            target = attributes.get(name, "#")
            assert target.startswith(("#", "data:")), (tag, name, target[:50])
    assert set(re.findall(r"url\((.{10})", page)) == {"data:font/"}
    assert "@import" not in page


def test_the_policy_names_the_hashes_of_script_and_style(page):
    [policy] = [meta["content"] for meta in Reader(page).all("meta") if "http-equiv" in meta]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        [content] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_a_changed_script_is_another_policy():
    assert content_policy("a", "b") != content_policy("c", "b")


def test_only_songs_with_a_preview_have_a_player(page):
    [player] = Reader(page).all("audio")
    assert player["src"] == "data:audio/ogg;base64," + base64.b64encode(b"sound").decode()
    assert player["aria-label"] == f"Excerpt of {HOSTILE[3]} by Artist 0"
    assert player["preload"] == "none"


def test_without_previews_there_is_no_column_for_them(page, findings):
    assert '<th scope="col">Excerpt</th>' in page
    assert '<th scope="col">Excerpt</th>' not in render(built(), findings, PLATES, {})


def test_the_embedded_means_are_those_of_the_cells(page):
    data = built()
    [text] = re.findall(r'<script type="application/json" id="means">(.*?)</script>', page, re.DOTALL)
    means = json.loads(text)
    assert list(means) == list(NAMES)
    assert means["korean"]["terms"][0] == ["슬픈", "sad"]
    cell = next(
        row
        for row in data.cells.to_pylist()
        if (row["language"], row["song_id"], row["term_id"]) == ("arabic", "s0005", "t02")
    )
    assert means["arabic"]["songs"][5][2] == [round(cell["mean"], 2), cell["count"]]


def test_the_page_is_in_order_for_screen_readers(page):
    reader = Reader(page)
    assert all(image.get("alt") for image in reader.all("img"))
    assert all("scope" in head for head in reader.all("th"))
    assert [int(tag[1]) for tag, _ in reader.elements if re.fullmatch("h[1-6]", tag)] == [1, 2, 2, 2, 2, 2, 2, 3, 3, 3]
    assert page.count("<caption") == page.count("<table")
    labelled = [attributes["aria-labelledby"] for _, attributes in reader.elements if "aria-labelledby" in attributes]
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert set(labelled) <= set(ids)
    assert len(ids) == len(set(ids))
    assert reader.all("html") == [{"lang": "en"}]


def test_terms_carry_the_language_they_are_in(page):
    assert re.search(r'<th scope="row" lang="ko-KR"><bdi>슬픈</bdi>', page)
    assert re.search(r'<th scope="row" lang="ar-EG"><bdi>متوتر</bdi>', page)


def test_notes_are_shown_escaped(page):
    assert "a &lt;note&gt;" in page


def test_the_sample_says_that_it_is_made_up_and_others_do_not(page, findings):
    assert "Synthetic sample." in render(built(source="sample"), findings, PLATES, {})
    assert "Synthetic sample." not in page


def test_a_dataset_without_ratings_is_rendered_with_dashes_and_reasons():
    data = built(rated=False)
    plates = [Plate(name, f"what {name} would show", None) for name in FIGURES]
    page = render(data, find(data, concepts()), plates, {})
    assert "<figcaption>what ratings would show</figcaption>" in page
    assert "<img" not in page
    assert "Not defined because" in page
    assert page.count("<td>no ratings</td>") == 25


def test_the_same_data_give_the_same_page(page, findings):
    assert render(built(), findings, PLATES, SOUND, FACES, NOTES) == page


def test_a_sixth_language_is_in_every_part_of_the_page():
    data = built(names=NAMES | {"japanese": "Japanese"})
    page = render(data, find(data, concepts()), PLATES, {})
    assert '<option value="Japanese">' in page
    assert page.count("<td>Japanese</td>") == 5
    assert "listeners of 6 cultures" in page


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(-5.04, 1, "−5.0"), (0.126, 2, "0.13"), (None, 2, "–"), (float("nan"), 2, "–")],
)
def test_numbers_are_rounded_with_a_true_minus_and_a_dash_for_none(value, digits, shown):
    assert fixed(value, digits) == shown


def test_clean_text_has_single_line_white_space_and_no_control_characters():
    assert clean("a\tb\nc\x00d\x85e\u200f") == "a b cd e\u200f"
