import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import av
import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from build import ratings, sample, vocab
from build.charts import songs_from_charts
from build.elicitation.terms import terms_from_chains
from build.errors import RunError
from build.files import sha256_of
from build.sources.people import pseudonyms, read_ratings
from build.sources.songs import read_songs
from build.sources.terms import read_terms
from build.workspace import REPOSITORY

HOMES = ("AE", "BR", "DE", "EG", "FR", "KR", "MX", "US")  # 16 songs instead of 118
SPOKEN = ("english", "korean")
TWO_WORKERS = f"""
from pathlib import Path
from build import sample, vocab
countries, words = vocab.countries(), sample.vocabularies()
vocab.countries = lambda: {{iso2: countries[iso2] for iso2 in {HOMES}}}
sample.vocabularies = lambda: {{language: words[language] for language in {SPOKEN}}}
sample.write_sample(Path("elsewhere"), seed=0, workers=2)
"""


@pytest.fixture(scope="module", autouse=True)
def small():
    """Eight countries and two languages, to save time."""
    countries, words = vocab.countries(), sample.vocabularies()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocab, "countries", lambda: {iso2: countries[iso2] for iso2 in HOMES})
        patch.setattr(sample, "vocabularies", lambda: {language: words[language] for language in SPOKEN})
        yield


@pytest.fixture(scope="module")
def written(small, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "seed 0"
    sample.write_sample(folder, seed=0)
    return folder


@pytest.fixture
def no_songs(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Songs are listed instead of synthesised."""
    folders: list[Path] = []
    monkeypatch.setattr(sample, "_write_songs", lambda folder, *_: folders.append(folder))
    return folders


def digests(folder: Path) -> dict[str, str]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in paths}


def song_truth(folder: Path) -> dict[str, dict]:
    urls = pyarrow.csv.read_csv(folder / "songmeta_GlobalMood.csv").to_pylist()
    truth = {row["song_id"]: row for row in pq.read_table(folder / "truth_songs.parquet").to_pylist()}
    return {row["url"]: truth[row["videoID"]] for row in urls}


def decoded(path: Path) -> tuple[float, float]:
    """Seconds of sound, and its peak."""
    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        resampler = av.AudioResampler("fltp", "stereo", stream.rate)
        frames = [part.to_ndarray() for frame in container.decode(stream) for part in resampler.resample(frame)]
        sound = np.concatenate(frames, axis=1)
        return sound.shape[1] / stream.rate, float(np.abs(sound).max())


def test_every_song_is_there_as_the_truth_says(written: Path) -> None:
    found = Counter()
    for url, truth in song_truth(written).items():
        found[truth["audio"]] += 1
        if truth["audio"] == "missing":
            assert not (written / url).exists()
            continue
        seconds, peak = decoded(written / url)
        assert seconds == pytest.approx(truth["duration_s"], abs=0.1)
        assert (peak < 1e-4) == (truth["audio"] == "silent")
    assert found == {"ok": 9, "missing": 3, "too_short": 2, "silent": 2}


def test_the_mark_lists_every_file(written: Path) -> None:
    there = digests(written)
    del there[sample.MARK]
    mark = json.loads((written / sample.MARK).read_text())
    assert mark["files"] == there
    assert mark["seed"] == 0


def test_workers_folder_and_hash_seed_do_not_show(written: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(REPOSITORY)}
    subprocess.run([sys.executable, "-c", TWO_WORKERS], cwd=tmp_path, env=environment, check=True)
    assert digests(tmp_path / "elsewhere") == digests(written)


def test_a_whole_sample_is_left_alone(tmp_path: Path, no_songs: list[Path]) -> None:
    for _ in range(2):
        sample.write_sample(tmp_path / "sample", seed=3)
    assert len(no_songs) == 1


@pytest.mark.parametrize("name", [sample.MARK, "songmeta_GlobalMood.csv", "charts"])
def test_a_half_sample_is_made_again(tmp_path: Path, no_songs: list[Path], name: str) -> None:
    sample.write_sample(tmp_path / "sample", seed=3)
    whole = digests(tmp_path / "sample")
    (tmp_path / "sample" / name).rename(tmp_path / "lost")
    sample.write_sample(tmp_path / "sample", seed=3)
    assert digests(tmp_path / "sample") == whole
    assert len(no_songs) == 2


@pytest.mark.parametrize("content", [b"", b"null", b'{"seed": 3}', b"\xff"])
def test_a_mark_that_cannot_be_read_counts_as_none(tmp_path: Path, no_songs: list[Path], content: bytes) -> None:
    sample.write_sample(tmp_path / "sample", seed=3)
    (tmp_path / "sample" / sample.MARK).write_bytes(content)
    sample.write_sample(tmp_path / "sample", seed=3)
    assert len(no_songs) == 2


def test_a_changed_file_is_noticed(tmp_path: Path, no_songs: list[Path]) -> None:
    sample.write_sample(tmp_path / "sample", seed=3)
    whole = digests(tmp_path / "sample")
    path = tmp_path / "sample" / "rawrating_GlobalMood.csv"
    path.write_bytes(path.read_bytes().replace(b",3\n", b",4\n", 1))
    sample.write_sample(tmp_path / "sample", seed=3)
    assert digests(tmp_path / "sample") == whole


def test_another_recipe_is_another_sample(
    tmp_path: Path, no_songs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample.write_sample(tmp_path / "sample", seed=3)
    monkeypatch.setattr(sample, "_recipe", lambda: "another")
    sample.write_sample(tmp_path / "sample", seed=3)
    assert len(no_songs) == 2


def test_another_seed_leaves_nothing_of_the_first_and_other_files_alone(tmp_path: Path, no_songs: list[Path]) -> None:
    folder = tmp_path / "sample"
    sample.write_sample(folder, seed=3)
    (folder / "media").mkdir(exist_ok=True)
    (folder / "media" / "old.flac").write_bytes(b"old")
    (folder / "mine.txt").write_text("mine")
    first = digests(folder)
    sample.write_sample(folder, seed=4)
    second = digests(folder)
    assert "media/old.flac" not in second
    assert (folder / "mine.txt").read_text() == "mine"
    assert first["rawrating_GlobalMood.csv"] != second["rawrating_GlobalMood.csv"]


def test_a_song_that_cannot_be_made_ends_the_run_and_leaves_no_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "EXTENSIONS", ("xyz",))
    monkeypatch.setattr(sample, "can_write", lambda _: True)
    with pytest.raises(RunError, match=r"media/.*\.xyz cannot be synthesised: KeyError"):
        sample.write_sample(tmp_path / "sample", seed=0)
    assert not (tmp_path / "sample" / sample.MARK).exists()


def read(folder: Path):
    songs = read_songs(folder / "songmeta_GlobalMood.csv", {})
    answers = read_ratings(folder / "rawrating_GlobalMood.csv", {})
    return songs, read_terms(folder, {}), answers


def test_elicitation_finds_the_rated_terms_in_order(tmp_path: Path, no_songs: list[Path]) -> None:
    sample.write_sample(tmp_path, seed=3)
    _, listed, _ = read(tmp_path)
    elicited = terms_from_chains(tmp_path / "chains_GlobalMood.csv")
    columns = ["language", "rank", "term", "frequency"]
    assert elicited.terms.select(columns).to_pylist() == listed.select(columns).to_pylist()
    for column in ("mean_rating", "score"):
        np.testing.assert_allclose(elicited.terms[column], listed[column], rtol=1e-12)
    assert set(elicited.dropped["reason"].to_pylist()) <= {"never_rated"}


def test_chart_selection_finds_the_songs(tmp_path: Path, no_songs: list[Path]) -> None:
    sample.write_sample(tmp_path, seed=3)
    songs, _, _ = read(tmp_path)
    selected = songs_from_charts(tmp_path / "charts").selection.songs
    columns = ["song_id", "title", "artist", "country"]
    assert sorted(selected.select(columns).to_pylist(), key=str) == sorted(songs.select(columns).to_pylist(), key=str)
    truth = {row["song_id"]: row for row in pq.read_table(tmp_path / "truth_songs.parquet").to_pylist()}
    for row in selected.select(["song_id", "first_chart_week", "peak_rank", "weeks_on_chart"]).to_pylist():
        assert row.items() <= truth[row["song_id"]].items()


def test_readers_drop_what_the_truth_says(tmp_path: Path, no_songs: list[Path]) -> None:
    sample.write_sample(tmp_path, seed=3)
    songs, terms, answers = read(tmp_path)
    kept, dropped = ratings.clean(answers, songs, terms, pseudonyms(answers), "ratings")
    told = Counter()
    for row in pq.read_table(tmp_path / "truth_dropped.parquet").to_pylist():
        told[row["reason"]] += row["rows"]
    assert Counter(dropped["reason"].to_pylist()) == told
    assert Counter(kept["repetition"].to_pylist())[1] == 7 * len(set(answers["participant"].to_pylist()))
