"""From a published dataset without audio, and the songs, to the same dataset with audio."""

import importlib
import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import soundfile
from typer.testing import CliRunner

from build import cli
from build.audio import ClipOptions
from build.errors import InputError
from build.hub import rebuild
from build.hub.rebuild import Rebuild, open_build
from build.options import BuildOptions
from build.sources.origin import Source
from build.workspace import Workspace
from tests.hub.source import GONE, RATE_HZ, SHORT
from tests.reliability.trial import content

LIST = "songmeta_GlobalMood.csv"


def opened(tmp_path, source, said=None, **options) -> Rebuild:
    options = BuildOptions(source=str(source), out=tmp_path / "out", workers=1, **options)
    build = open_build(options, Workspace(tmp_path / "work"), said.append if said is not None else lambda line: None)
    assert isinstance(build, Rebuild)
    return build


def manifest(folder) -> dict:
    return json.loads((folder / "MANIFEST.json").read_text())


def table(tmp_path, name) -> list[dict]:
    return pq.read_table(tmp_path / "work" / "tables" / f"{name}.parquet").to_pylist()


@pytest.fixture(scope="module")
def again(silent, source, tmp_path_factory) -> Path:
    """A folder with `out`, rebuilt from `silent`, its workspace `work`, and what was said in `said`."""
    root, said = tmp_path_factory.mktemp("again"), []
    opened(root, silent, said, urls=source).run()
    (root / "said").write_text("\n".join(said))
    return root


def test_every_payload_comes_out_the_same(again, built):
    assert manifest(again / "out")["audio"] == manifest(built)["audio"]
    assert "replay: same 7, differs 0, gone 0, new 0, absent 2\n" in (again / "said").read_text()


def test_windows_are_the_recorded_ones(again, built):
    def windows(folder):
        rows = [row for path in folder.glob("data/*") for row in pq.read_table(path, columns=columns).to_pylist()]
        return {row["song_id"]: row for row in rows}

    columns = ["song_id", "window", "start_s", "start_sample"]
    before, after = windows(built), windows(again / "out")
    assert {row["window"] for row in before.values()} == {"published", "drawn", None}
    replayed = {song: row | {"window": row["window"] and "replayed"} for song, row in before.items()}
    assert after == replayed


def test_tables_that_are_not_about_songs_are_the_same_files(again, built):
    before, after = manifest(built)["files"], manifest(again / "out")["files"]
    small = [name for name in before if name.endswith(".parquet") and not name.startswith(("data/", "songs/"))]
    assert len(small) == 14
    assert {name: before[name] for name in small} == {name: after[name] for name in small}


def test_the_manifest_tells_where_it_is_from(again, built, silent):
    told = manifest(again / "out")
    for name in ("source", "inputs", "options", "version", "facts"):
        assert told[name] == manifest(built)[name], name
    assert set(told["replayed_from"]) == {"repository", "commit", "manifest_sha256"}
    assert "audio_withheld" not in told


def test_the_report_names_every_song(again):
    outcomes = {row["song_id"]: row["outcome"] for row in table(again, "replay")}
    assert len(outcomes) == 9
    assert outcomes.pop(GONE) == outcomes.pop(SHORT) == "absent"
    assert set(outcomes.values()) == {"same"}


def test_stages_one_by_one_build_the_same(again, silent, source, tmp_path):
    """The windows too: only the first stage is told where the songs come from."""
    for name in cli.VERBS:
        importlib.import_module(f"build.cli.{name}")
    for arguments in (
        ("songs", "--source", silent, "--urls", source),
        ("fetch", "--source-root", source),
        ("excerpt", "--workers", 1),
        ("terms",),
        ("ratings",),
        ("shards", "--out", tmp_path / "out"),
    ):
        told = [*map(str, arguments), "--work", str(tmp_path / "work")]
        assert CliRunner().invoke(cli.app, told, catch_exceptions=False).exit_code == 0
    assert content(tmp_path / "out") == content(again / "out")


def test_songs_that_changed_went_or_came_are_told(silent, source, tmp_path):
    changed = Path(shutil.copytree(source, tmp_path / "source"))
    quiet = np.random.default_rng(99).normal(0, 0.02, (17 * RATE_HZ, 2))
    soundfile.write(changed / "media" / "song-00.flac", quiet, RATE_HZ)
    soundfile.write(changed / "media" / f"{GONE}.flac", quiet, RATE_HZ)
    (changed / "media" / "song-01.flac").unlink()
    said: list[str] = []
    opened(tmp_path, silent, said, urls=changed / LIST, limit=4).run()
    outcomes = {row["song_id"]: row["outcome"] for row in table(tmp_path, "replay")}
    assert outcomes == {"song-00": "differs", "song-01": "gone", "song-02": "same", GONE: "new"}
    assert "  song-00 differs: what is served now is another file of the track" in said
    assert any(line.startswith("  song-01 gone: not_found") for line in said)


def test_a_limit_keeps_the_first_songs_and_what_is_about_them(silent, source, tmp_path):
    build = opened(tmp_path, silent, audio=False, limit=2)
    build.run()
    assert [song["song_id"] for song in table(tmp_path, "songs")] == ["song-00", "song-01"]
    for name in ("ratings", "cells", "splits"):
        assert {row["song_id"] for row in table(tmp_path, name)} == {"song-00", "song-01"}
    assert manifest(tmp_path / "out")["options"]["limit"] == 2


def test_excerpts_are_made_as_they_were(copy, tmp_path):
    told = manifest(copy)
    told["options"] |= {"loudness_lufs": -14.0, "policy": "headroom", "codec": "source", "seed": 7}
    (copy / "MANIFEST.json").write_text(json.dumps(told))
    assert opened(tmp_path, copy).options.clip == ClipOptions(7, -14.0, "headroom", "source")


def test_songs_that_are_nowhere_are_told(silent, source, tmp_path):
    said: list[str] = []
    opened(tmp_path, silent, said).songs()
    assert said[1] == "9 songs are not on YouTube, such as song-00: --urls FILE may say where they are"
    opened(tmp_path, silent, said, urls=source / LIST).songs()
    assert len(said) == 3


def test_the_sample_is_made_again(copy, source, tmp_path, monkeypatch):
    (copy / "MANIFEST.json").write_text(json.dumps(manifest(copy) | {"source": "sample"}))
    asked = []

    def made(name, workspace, seed, workers):
        asked.append((name, seed))
        return Source(name, source)

    monkeypatch.setattr(rebuild, "open_source", made)
    opened(tmp_path, copy).songs()
    assert asked == [("sample", 0)]
    assert table(tmp_path, "songs")[0]["url"] == "media/song-00.flac"


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"seed": 3, "clip": ClipOptions(3)}, "--seed: not with a published dataset"),
        ({"clip": ClipOptions(loudness_lufs=-14.0)}, "--loudness, --policy and --codec: not with"),
        ({"exclude_raters": ("few",)}, "--exclude-raters: not with"),
        ({"charts": Path("charts")}, "--from-charts: not with"),
        ({"urls": Path("nowhere.csv")}, r"--urls nowhere\.csv: there is no such file or folder"),
    ],
)
def test_options_that_the_dataset_brings_along_are_refused(silent, tmp_path, option, told):
    with pytest.raises(InputError, match=told):
        opened(tmp_path, silent, **option)


def test_urls_go_with_a_published_dataset_alone(source, tmp_path):
    with pytest.raises(InputError, match=r"--urls .*: goes with a published dataset as --source"):
        opened(tmp_path, source, urls=source / LIST)
