"""`build.pipeline`: stages that are run one by one know of each other what a manifest has to say."""

import importlib
import json
from pathlib import Path
from unittest import mock

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from build import cli
from build.errors import InputError, RunError
from build.files import write_table
from build.options import BuildOptions
from build.pipeline import Build
from build.tables import FETCHED
from build.workspace import Workspace
from tests.charts.made import HEADER_2022, WATCH, video
from tests.hub.source import write_source
from tests.reliability.trial import content, edit

RATINGS = "rawrating_GlobalMood.csv"
CHOSEN = {
    "songs": ("--limit", 3, "--seed", 5),
    "excerpt": ("--policy", "headroom", "--codec", "source", "--loudness", -14, "--workers", 1),
    "ratings": ("--exclude-raters", "few"),
}


@pytest.fixture
def source(tmp_path) -> Path:
    """A source of four songs, one of which has no file."""
    return write_source(tmp_path / "source", 4)


@pytest.fixture
def verb(tmp_path):
    """Run a verb in the work folder, but for the figures of a card, which take most of the time."""
    for name in cli.VERBS:
        importlib.import_module(f"build.cli.{name}")

    def run(name: str, *options: object, work: str = "work") -> None:
        arguments = [name, *map(str, options), "--work", str(tmp_path / work)]
        with mock.patch("build.dataset.write.card_figures", return_value=[]):
            done = CliRunner().invoke(cli.app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output

    return run


def manifest(folder: Path) -> dict:
    return json.loads((folder / "MANIFEST.json").read_text())


def test_stages_one_by_one_build_the_same_bytes_as_all_at_once(verb, source, tmp_path):
    at_once, by_stages = tmp_path / "at-once", tmp_path / "by-stages"
    every = [option for options in CHOSEN.values() for option in options]
    verb("run", "--source", source, "--out", at_once, *every, work="other")
    verb("songs", "--source", source, *CHOSEN["songs"])
    verb("fetch", "--source-root", source)
    verb("excerpt", *CHOSEN["excerpt"])
    verb("terms")
    verb("ratings", *CHOSEN["ratings"])
    verb("shards", "--out", by_stages)
    assert content(by_stages) == content(at_once)
    assert manifest(by_stages)["source"] == "folder"
    assert manifest(by_stages)["options"] == {
        "seed": 5,
        "limit": 3,
        "audio": True,
        "exclude_raters": ["few"],
        "loudness_lufs": -14.0,
        "policy": "headroom",
        "codec": "source",
    }


@pytest.fixture
def built(verb, source, tmp_path) -> Path:
    """A built folder without sound, whose work folder is that of the verbs."""
    verb("run", "--source", source, "--no-audio", "--limit", 2, "--out", tmp_path / "out")
    return tmp_path / "out"


def test_a_stage_that_is_done_again_changes_what_it_was_told_alone(verb, built):
    before = manifest(built)["options"]
    verb("ratings", "--exclude-raters", "few")
    verb("shards", "--out", built)
    assert manifest(built)["options"] == before | {"exclude_raters": ["few"]}


def test_ratings_of_raters_that_are_left_out_are_counted_as_dropped(verb, built):
    read = manifest(built)["facts"]["ratings"]["read"]
    verb("ratings", "--exclude-raters", "few")
    verb("shards", "--out", built)
    counted = manifest(built)["facts"]["ratings"]
    assert counted["dropped"]["few"] > 0
    assert counted["read"] == counted["kept"] + sum(counted["dropped"].values()) == read


def test_shards_of_a_source_that_was_edited_since_are_not_made(verb, built, source):
    edit(source / RATINGS, lambda rows: rows[:-1])
    verb("ratings")
    with pytest.raises(RunError, match=rf"changed: {RATINGS}\): .* or `songs` and the stages after it"):
        verb("shards", "--out", built)


def test_shards_of_songs_that_are_others_now_are_not_made(verb, built, source):
    verb("songs", "--source", source)
    with pytest.raises(InputError, match="run `excerpt`, `terms`, `ratings`, then this again"):
        verb("shards", "--out", built)


def test_terms_of_another_file_do_not_pass_for_the_sources(verb, built, tmp_path):
    chains = tmp_path / "chains.csv"
    chains.write_text("country,videoID,chain,step,participant,tag,action,rating\nKR,song-00,c1,1,p1,calm,add,\n")
    verb("terms", "--from-chains", chains)
    with pytest.raises(InputError, match="run `terms`, `ratings`, then this again"):
        verb("shards", "--out", built)


@pytest.mark.parametrize("name", ["excerpt", "terms", "ratings", "shards"])
def test_a_stage_of_another_source_is_refused(verb, source, name):
    verb("songs", "--source", source)
    with pytest.raises(InputError, match=r"--source upstream: the stages before had .*source"):
        verb(name, "--source", "upstream")


def test_songs_from_charts_go_with_the_source_of_the_stages_after_them(verb, source, tmp_path):
    charts = tmp_path / "charts"
    charts.mkdir()
    lines = [HEADER_2022, f"1,,Title,A,1,1,,{WATCH}{video('a')}"]
    (charts / "youtube-charts-top-songs-br-weekly-2022-01-06.csv").write_text("\n".join(lines), encoding="utf-8")
    verb("songs", "--from-charts", charts, "--seed", 3)
    write_table(tmp_path / "work" / "tables" / "fetched.parquet", FETCHED.empty_table())
    verb("excerpt", "--workers", 1)
    verb("terms", "--source", source)
    verb("ratings")
    verb("shards", "--out", tmp_path / "out")
    told = manifest(tmp_path / "out")
    assert (told["source"], told["options"]["seed"], told["charts"]["exclusive_by_id"]) == ("folder", 3, 1)
    assert RATINGS in told["inputs"]


CHAINS = """country,videoID,chain,step,participant,tag,action,rating
KR,song-99,c1,1,p1,calm,add,
KR,song-00,c1,1,p1,calm,add,
KR,song-00,c1,2,p2,calm,rate,4
KR,song-00,c1,3,p1,calm,rate,1
"""


def test_what_is_dropped_can_be_found_in_its_file(source, tmp_path):
    (source / RATINGS).rename(source / "ratings.csv")
    (source / "chains.csv").write_text(CHAINS)
    said: list[str] = []
    build = Build(BuildOptions(str(source), audio=False), Workspace(tmp_path / "work"), said.append)
    for stage in (build.songs, build.terms, build.ratings):
        stage()
    acts, ratings = (tmp_path / "work" / "tables" / f"{name}.parquet" for name in ("dropped_acts", "dropped"))
    assert pq.read_table(acts, columns=["file", "row", "reason"]).to_pylist() == [
        {"file": "chains.csv", "row": 2, "reason": "unknown_song"},
        {"file": "chains.csv", "row": 5, "reason": "person_again"},
    ]
    assert set(pq.read_table(ratings)["file"].to_pylist()) == {"ratings.csv"}
    assert f"chains: 3 acts kept; dropped: unknown_song 1 (each in {acts})" in said
    assert f"terms: 40 rated, 1 elicited; dropped: person_again 1 (each in {acts})" in said
    assert said[-1].endswith(f"dropped: off_scale 1, unknown_term 1 (each in {ratings})")
