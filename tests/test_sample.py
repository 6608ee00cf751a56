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

from build import sample, vocab
from build.errors import RunError
from build.files import sha256_of
from build.workspace import REPOSITORY

HOMES = ("AE", "BR", "DE", "EG", "FR", "KR", "MX", "US")  # 16 songs instead of 118
TWO_WORKERS = f"""
from pathlib import Path
from build import sample, vocab
known = vocab.countries()
vocab.countries = lambda: {{iso2: known[iso2] for iso2 in {HOMES}}}
sample.write_sample(Path("elsewhere"), seed=0, workers=2)
"""


@pytest.fixture(scope="module", autouse=True)
def few_countries():
    with pytest.MonkeyPatch.context() as patch:
        known = vocab.countries()
        patch.setattr(vocab, "countries", lambda: {iso2: known[iso2] for iso2 in HOMES})
        yield


@pytest.fixture(scope="module")
def written(few_countries, tmp_path_factory: pytest.TempPathFactory) -> Path:
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
