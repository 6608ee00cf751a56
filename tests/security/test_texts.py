"""Titles, artists, terms and tags that were made to do harm: kept as they are in the data, harmless wherever shown."""

import importlib
import json

import pyarrow.parquet as pq
import pytest
import yaml
from datasets import load_dataset
from markdown_it import MarkdownIt  # which Rich brings along
from typer.testing import CliRunner

from build.cli import app
from build.validate import validate
from build.validate.card import check_card, front_matter
from globalmood import CONFIGS, FILES
from tests.report.test_page import Reader
from tests.security.hostile import OBEYED, TEXTS

SPREADSHEETS = {".csv", ".tsv", ".xls", ".xlsx", ".ods"}

for verb in ("show", "status", "validate", "report", "card"):
    importlib.import_module(f"build.cli.{verb}")


def shown(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_data_keep_every_character(hostile, tmp_path):
    songs = load_dataset(str(hostile.out), "songs", cache_dir=str(tmp_path))
    rows = {row["song_id"]: row for split in songs.values() for row in split}
    for place, text in enumerate(TEXTS.values()):
        assert (rows[f"h-{place:02d}"]["title"], rows[f"h-{place:02d}"]["artist"]) == (text, text)
    tags = pq.read_table(hostile.out / "chains" / "train-00000-of-00001.parquet")["tag"].to_pylist()
    assert set(TEXTS.values()) <= set(tags)


def test_the_folder_validates(hostile):
    findings = validate(hostile.out)
    assert findings.missing + findings.invalid + findings.extra == []


def test_the_front_matter_of_the_card_is_ours(hostile):
    card = (hostile.out / "README.md").read_text(encoding="utf-8")
    assert list(check_card(hostile.out, FILES)) == []
    assert [config["config_name"] for config in front_matter(card)["configs"]] == list(CONFIGS)


def test_the_text_of_the_card_has_no_markup_of_theirs(hostile):
    card = (hostile.out / "README.md").read_text(encoding="utf-8").partition("\n---\n")[2]
    page = Reader(MarkdownIt("commonmark").enable("table").render(card))
    assert {tag for tag, _ in page.elements} & {"script", "iframe", "h6"} == set()
    assert {image["src"].partition("/")[0] for image in page.all("img")} == {"figures"}
    assert not [link["href"] for link in page.all("a") if link["href"].startswith("javascript:")]
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]


def test_the_text_of_the_card_turns_nothing_around(hostile):
    card = (hostile.out / "README.md").read_text(encoding="utf-8")
    assert not OBEYED.search(card.translate(dict.fromkeys(map(ord, "\u2028\u2029"))))  # no line breaks in Markdown


@pytest.mark.parametrize("name", ["croissant.json", "MANIFEST.json"])
def test_json_is_whole(hostile, name):
    assert isinstance(json.loads((hostile.out / name).read_bytes()), dict)


def test_the_benchmarks_yaml_is_whole(hostile):
    assert isinstance(yaml.safe_load((hostile.out / "eval.yaml").read_bytes()), dict)


def test_the_report_runs_nothing_of_theirs(hostile, tmp_path):
    shown("report", hostile.out, "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    reader = Reader(page)
    assert len(reader.all("script")) == 2
    assert {tag for tag, _ in reader.elements} & {"iframe", "object", "embed", "base", "form"} == set()
    assert not [name for _, attributes in reader.elements for name in attributes if name.startswith("on")]
    assert not [image for image in reader.all("img") if not image["src"].startswith("data:")]
    assert page.count("7 * 7") > 0, "templates are shown, not evaluated"


@pytest.mark.parametrize("arguments", [("show",), ("validate",)])
def test_verbs_show_texts_and_do_not_obey_them(hostile, arguments):
    said = shown(*arguments, hostile.out, *(["--language", "english"] if arguments == ("show",) else []))
    assert not OBEYED.search(said)


def test_status_shows_titles_and_does_not_obey_them(hostile):
    said = shown("status", "--work", hostile.work)
    assert not OBEYED.search(said)
    assert said.count("\na better url would help") == len(TEXTS), "a line a song, whatever its title holds"
    assert "\\u001b[2J" in said
    as_json = shown("status", "--work", hostile.work, "--json")
    assert not OBEYED.search(as_json)
    titles = {song["title"] for song in json.loads(as_json)["better_url_would_help"]}
    assert titles == set(TEXTS.values()), "the JSON means the same"


def test_the_build_says_nothing_that_a_terminal_obeys(hostile):
    assert not OBEYED.search("\n".join(hostile.said))


def test_nothing_is_written_for_a_spreadsheet(hostile):
    """Where there is no CSV export, no formula is carried out."""
    made = [path for folder in (hostile.out, hostile.work) for path in folder.rglob("*") if path.is_file()]
    assert made
    assert [path.name for path in made if path.suffix in SPREADSHEETS] == []
