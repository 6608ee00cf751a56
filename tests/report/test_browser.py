"""The page in headless Chromium: it opens, sorts, searches, plays, leaves hostile text alone, asks for nothing."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from build.analysis.concepts import concepts
from build.report.findings import find
from build.report.fonts import fonts_for
from build.report.page import clean, render, shown_texts
from build.report.plates import plates
from build.report.previews import preview
from build.report.webfonts import font_faces
from tests.report.made import HOSTILE, WORDS, built, tone

selenium = pytest.importorskip("selenium", reason="the page's tests in a browser need selenium")
axe_selenium_python = pytest.importorskip("axe_selenium_python", reason="the page's tests in a browser need axe")

from selenium import webdriver  # noqa: E402 - after the skip
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.select import Select  # noqa: E402
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no chromium and chromedriver on this machine")
PATIENCE_S = 60


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for switch in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--mute-audio",
        "--window-size=1280,900",
    ):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    data = built()
    findings = find(data, concepts())
    fonts = fonts_for([word for words in WORDS.values() for word in words])
    sounds = {f"s{index:04d}": preview(tone(3.0)) for index in (0, 1)}
    path = tmp_path_factory.mktemp("report") / "report.html"
    faces = font_faces(shown_texts(data))
    path.write_text(render(data, findings, plates(data, findings, fonts), sounds, faces), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, page) -> webdriver.Chrome:
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(page.as_uri())
    return browser


def column(browser, table: str, place: int) -> list[str]:
    cells = f"#{table} tbody tr:not([hidden]) > :nth-child({place})"
    return browser.execute_script("return [...document.querySelectorAll(arguments[0])].map(c => c.textContent)", cells)


def header(browser, table: str, label: str):
    return browser.find_element(By.XPATH, f"//table[@id='{table}']//th[button[text()='{label}']]")


def test_it_opens_without_a_word_on_the_console(opened):
    assert opened.title == "GlobalMood: report"
    assert opened.get_log("browser") == []


def test_it_asks_for_nothing_but_itself(opened, page):
    messages = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert page.as_uri() in asked
    assert [url[:80] for url in asked if not url.startswith("data:") and url != page.as_uri()] == []


def test_hostile_titles_are_shown_and_do_nothing(opened):
    assert {clean(title) for title in HOSTILE} <= set(column(opened, "songs-table", 1))
    assert opened.execute_script("return document.images.length") == 7
    assert opened.execute_script("return window.outerWidth") > 0  # an open alert would raise here


def test_songs_are_sorted_by_the_chosen_term(opened):
    data = built()
    Select(opened.find_element(By.ID, "language")).select_by_visible_text("Korean")
    Select(opened.find_element(By.ID, "term")).select_by_visible_text("즐거운 (joyful)")
    cells = [row for row in data.cells.to_pylist() if (row["language"], row["term_id"]) == ("korean", "t02")]
    assert column(opened, "songs-table", 8) == sorted((f"{cell['mean']:.2f}" for cell in cells), reverse=True)
    assert header(opened, "songs-table", "Rating").get_attribute("aria-sort") == "descending"


def test_a_header_sorts_by_keyboard_and_again_the_other_way(opened):
    for order, expected in (("ascending", sorted), ("descending", lambda rows: sorted(rows, reverse=True))):
        header(opened, "songs-table", "Country").find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
        assert header(opened, "songs-table", "Country").get_attribute("aria-sort") == order
        countries = column(opened, "songs-table", 3)
        assert countries == expected(countries)


def test_numbers_sort_as_numbers_with_missing_ones_last(opened):
    header(opened, "songs-table", "LUFS in").find_element(By.TAG_NAME, "button").click()
    shown = column(opened, "songs-table", 6)
    assert shown == [f"{-20 + index:.1f}".replace("-", "−") for index in reversed(range(12))] + ["–", "–"]


def test_searching_leaves_the_rows_with_all_words_and_counts_them(opened):
    opened.find_element(By.CSS_SELECTOR, "input[data-table=songs-table]").send_keys("SÓNG kr")
    assert sorted(column(opened, "songs-table", 1)) == ["Song 10", "Song 13"]
    assert opened.find_element(By.CSS_SELECTOR, "[data-count=songs-table]").text == "2 of 14 songs shown"


def test_terms_can_be_filtered_by_language_and_found_without_accents(opened):
    Select(opened.find_element(By.CSS_SELECTOR, "select[data-filter=terms-table]")).select_by_visible_text("Spanish")
    assert column(opened, "terms-table", 3) == list(WORDS["spanish"])
    Select(opened.find_element(By.CSS_SELECTOR, "select[data-filter=terms-table]")).select_by_visible_text("all")
    opened.find_element(By.CSS_SELECTOR, "input[data-table=terms-table]").send_keys("joyful")
    assert len(column(opened, "terms-table", 3)) == 5


def test_excerpts_play_by_keyboard_and_one_at_a_time(opened):
    first, second = opened.find_elements(By.TAG_NAME, "audio")
    for player in (first, second):
        player.send_keys(Keys.SPACE)
        WebDriverWait(opened, PATIENCE_S).until(lambda driver, p=player: p.get_property("currentTime") > 0.1)
    assert first.get_property("paused") is True
    assert second.get_property("duration") == pytest.approx(3.0, abs=0.05)
    assert opened.get_log("browser") == []


def test_figures_are_drawn(opened):
    widths = (
        "for (const i of document.images) i.loading = 'eager'; return [...document.images].map(i => i.naturalWidth)"
    )
    WebDriverWait(opened, PATIENCE_S).until(lambda driver: min(driver.execute_script(widths)) > 100)


def test_letters_of_the_terms_come_with_the_page(opened):
    load = "document.fonts.load('16px Report', arguments[0]).then(f => arguments[1](f.map(face => face.status)))"
    for term in ("슬픈", "متوتر"):
        assert opened.execute_async_script(load, term) == ["loaded"]


def test_axe_finds_no_barrier(opened):
    axe = axe_selenium_python.Axe(opened)
    axe.inject()
    found = axe.run()["violations"]
    assert {item["id"]: [node["html"][:100] for node in item["nodes"]] for item in found} == {}


def test_on_a_phone_only_tables_scroll_sideways(opened):
    opened.set_window_size(500, 900)
    assert (
        opened.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    )
    opened.set_window_size(1280, 900)


@pytest.mark.slow
def test_the_report_of_the_sample_opens_in_two_seconds(browser, sample, run_build, tmp_path):
    """The best of three; among the slow tests, since nothing else should run beside it."""
    path = tmp_path / "report.html"
    run_build("report", sample, "--out", path)
    times_ms = []
    for _ in range(3):
        browser.get(path.as_uri())
        times_ms.append(browser.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd"))
    assert min(times_ms) < 2000


def test_the_report_of_the_sample_is_small_and_quiet(browser, sample, run_build, tmp_path):
    """Under 30 MB, no message in the console, and a player for every song with sound."""
    path = tmp_path / "report.html"
    run_build("report", sample, "--out", path)
    assert path.stat().st_size < 30e6
    browser.get_log("browser")
    browser.get(path.as_uri())
    assert browser.get_log("browser") == []
    players = browser.find_elements(By.TAG_NAME, "audio")
    assert len(players) == column(browser, "songs-table", 5).count("ok") > 100
    players[-1].send_keys(Keys.SPACE)
    WebDriverWait(browser, PATIENCE_S).until(lambda driver: players[-1].get_property("currentTime") > 0.1)
    assert players[-1].get_property("duration") == pytest.approx(15, abs=0.05)
