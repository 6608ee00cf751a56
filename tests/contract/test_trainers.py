"""T1 to T12: what has gone wrong in loaders of audio datasets, tried on the sample on every version of `datasets`.

Each test is named for the kind of trouble. `globalmood.batches` has tests of its own in tests/training.
"""

# ruff: noqa: N802 - T1 to T12 number the kinds of trouble

import hashlib
import io
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import datasets
import numpy as np
import pyarrow.parquet as pq
import pytest
import soundfile
import yaml
from datasets import Audio, load_dataset
from datasets.distributed import split_dataset_by_node

import globalmood
from build.errors import RunError
from globalmood import FEATURES, FILES, SPLITS

pytestmark = [
    pytest.mark.contract,
    pytest.mark.filterwarnings("ignore:This DataLoader will create"),  # more workers than this machine has cores
]
VERSION = tuple(int(part) for part in datasets.__version__.split(".")[:2])
REPOSITORY = Path(globalmood.__file__).resolve().parent


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    """`datasets` looks its cache up in its configuration, not in the environment."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.fixture
def stream(sample):
    """Ids of the train songs, streamed."""

    def open_stream(config="korean", columns=("song_id",), split="train"):
        return load_dataset(str(sample), config, split=split, streaming=True, columns=list(columns))

    return open_stream


def recipe(rows, seed=0):
    """The data card's way to a shuffled stream that feeds every worker."""
    rows = rows.reshard() if hasattr(rows, "reshard") else rows  # a shard a row group, from 4.6 on
    one_shard = {"max_buffer_input_shards": 1} if VERSION == (5, 0) else {}  # datasets#8669
    return rows.shuffle(seed=seed, buffer_size=64, **one_shard)


def ids(rows) -> list[str]:
    return [row["song_id"] for row in rows]


def encoded(sample, split):
    rows = load_dataset(str(sample), "korean", split=split, streaming=True)
    return rows.cast_column("audio", Audio(decode=False))


def run(program: str, **environment) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", program]
    known = os.environ | {"PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(command, env=known | environment, capture_output=True, text=True, timeout=300, check=False)


def test_T1_a_repository_under_its_real_name_holds_no_script(sample, tmp_path, monkeypatch):
    shutil.copytree(sample, tmp_path / "globalmood", copy_function=os.link)
    shutil.copy(REPOSITORY / "globalmood.py", tmp_path)
    assert not [path for path in sample.rglob("*") if path.suffix == ".py"]
    monkeypatch.chdir(tmp_path)
    rows = load_dataset("globalmood", "korean", split="test", streaming=True)
    assert rows.features == FEATURES["korean"]
    assert len(ids(rows.select_columns(["song_id"]))) > 0


@pytest.mark.parametrize("num_workers", [2, 4, 8])
def test_T2_every_worker_is_fed_and_every_song_comes_once(stream, num_workers):
    data = pytest.importorskip("torch").utils.data
    rows = recipe(stream()).map(lambda row: {"worker": data.get_worker_info().id})
    seen = list(data.DataLoader(rows, batch_size=None, num_workers=num_workers))
    assert sorted(ids(seen)) == sorted(ids(stream()))
    assert len(Counter(row["worker"] for row in seen)) == num_workers


def test_T2_there_are_at_least_two_row_groups_for_each_of_eight_workers(sample):
    groups = [pq.ParquetFile(path).num_row_groups for path in sample.glob(FILES["all"]["train"])]
    assert len(groups) >= 16
    assert sum(groups) >= 16


def test_T2_epochs_are_shuffled_anew_and_repeatably(stream):
    rows, orders = recipe(stream()), []
    for epoch in (0, 1, 0):
        rows.set_epoch(epoch)
        orders.append(ids(rows))
    assert orders[0] == orders[2] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


def stop_and_go(make, stops: list[int]) -> list[str]:
    """Ids of a run that was stopped after so many rows each time, and resumed from its state."""
    seen, state = [], None
    for stop in [*stops, None]:
        rows = make()
        if state:
            rows.load_state_dict(json.loads(json.dumps(state)))
        seen += ids(itertools.islice(rows, stop))
        state = rows.state_dict()
    return seen


def test_T3_an_unshuffled_stream_resumes_exactly_after_any_row(stream):
    whole = ids(stream())
    for stop in range(1, len(whole), 11):
        assert stop_and_go(stream, [stop]) == whole, stop


@pytest.mark.skipif(VERSION == (5, 0), reason="datasets 5.0.0 begins anew when resumed a second time (datasets#8308)")
def test_T3_a_stream_resumes_twice(stream):
    whole = ids(stream())
    for stop in range(1, len(whole) - 2, 23):
        assert stop_and_go(stream, [stop, 2]) == whole, stop


@pytest.mark.skipif(VERSION < (4, 8), reason="datasets before 4.8 loses rows of a resumed map (datasets#7538)")
def test_T3_a_mapped_stream_resumes_exactly(stream):
    whole = ids(stream())
    for stop in range(1, len(whole), 29):
        assert stop_and_go(lambda: stream().map(lambda row: {"length": len(row["song_id"])}), [stop]) == whole, stop


@pytest.mark.skipif(VERSION < (5, 1), reason="datasets before 5.1 loses rows of a resumed filter (datasets#7538)")
def test_T3_a_filtered_stream_resumes_exactly(stream):
    def make():
        return stream().filter(lambda row: row["song_id"] > "F")

    whole = ids(make())
    for stop in range(1, len(whole), 29):
        assert stop_and_go(make, [stop]) == whole, stop


@pytest.mark.skipif(VERSION == (5, 0), reason="datasets 5.0.0 begins anew when resumed a second time (datasets#8308)")
def test_T3_the_stateful_loader_resumes_an_unshuffled_stream(stream):
    loaders = pytest.importorskip("torchdata.stateful_dataloader")
    whole = ids(loaders.StatefulDataLoader(stream(), batch_size=None, num_workers=2))
    for stop in (1, 34, 77):
        loader = loaders.StatefulDataLoader(stream(), batch_size=None, num_workers=2)
        seen = ids(itertools.islice(loader, stop))
        resumed = loaders.StatefulDataLoader(stream(), batch_size=None, num_workers=2)
        resumed.load_state_dict(loader.state_dict())
        assert seen + ids(resumed) == whole, stop


def test_T3_batches_resume_shuffled_after_every_batch_and_again(sample):
    def make(state=None):
        batches = globalmood.batches("korean", batch_size=9, shuffle=0, decode=False, data_dir=sample)
        if state:
            batches.load_state_dict(json.loads(json.dumps(state)))
        return batches

    whole = [batch["song_id"] for batch in make()]
    for stop in range(1, len(whole) - 1):
        *_, last = itertools.islice(make(), stop)
        again = next(iter(make(last["state"])))
        seen = [again["song_id"], *(batch["song_id"] for batch in make(again["state"]))]
        assert seen == whole[stop:]


@pytest.mark.parametrize("world_size", range(1, 9))
def test_T4_ranks_have_every_song_once(stream, world_size):
    parts = [ids(split_dataset_by_node(stream(), rank, world_size)) for rank in range(world_size)]
    assert sorted(itertools.chain(*parts)) == sorted(ids(stream()))


@pytest.mark.parametrize("ranks", ["exact", "even"])
def test_T4_ranks_of_batches_are_equally_long_or_have_every_song_once(sample, stream, ranks):
    asked = {"batch_size": 8, "shuffle": 0, "decode": False, "world_size": 3, "ranks": ranks, "data_dir": sample}
    parts = [list(globalmood.batches("korean", rank=rank, **asked)) for rank in range(3)]
    songs = [pair for part in parts for batch in part for pair in zip(batch["song_id"], batch["repeated"], strict=True)]
    assert sorted(song_id for song_id, repeated in songs if not repeated) == sorted(ids(stream()))
    if ranks == "even":
        assert len({sum(len(batch["song_id"]) for batch in part) for part in parts}) == 1


MEMORY = """
import gc, datasets, globalmood
{setup}
sizes = []
for epoch in range(10):
    rows.set_epoch(epoch)
    for row in rows:
        pass
    del row
    gc.collect()
    with open("/proc/self/status") as status:
        sizes += [int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS")]
print(max(sizes) - sizes[0])
"""
PLAIN = """
rows = datasets.load_dataset({sample!r}, "korean", split="train", streaming=True)
rows = rows.cast_column("audio", datasets.Audio(decode=False)).shuffle(seed=0, buffer_size=16)
"""
BATCHES = "rows = globalmood.batches('korean', '{split}', 8, 24_000, mono=True, shuffle=0, data_dir={sample!r})"
# allocators that give freed memory back at once, so that what is measured is memory in use
GIVING_BACK = {"MALLOC_MMAP_THRESHOLD_": "131072", "ARROW_DEFAULT_MEMORY_POOL": "system"}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of a process from /proc")
@pytest.mark.parametrize(
    "setup",
    [
        PLAIN,
        BATCHES.replace("{split}", "test"),
        pytest.param(BATCHES.replace("{split}", "train"), marks=pytest.mark.slow),
    ],
    ids=["plain", "batches of test", "batches of train"],
)
def test_T5_ten_epochs_grow_memory_by_less_than_20_mb_after_the_first(sample, setup):
    done = run(MEMORY.replace("{setup}", setup.replace("{sample!r}", repr(str(sample)))), **GIVING_BACK)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 20


WITHOUT_TORCHCODEC = """
import sys, warnings
sys.modules["torchcodec"] = None
warnings.simplefilter("ignore")
import itertools, datasets, globalmood
sample = {sample!r}
first = lambda rows: next(row for row in rows if row["status"] == "ok")
channels = 1 if datasets.__version__ < "4" else 2  # version 3 decodes by itself, and hands out the mean channel
table = globalmood.load("korean", "test", data_dir=sample)
stream = globalmood.load("korean", "test", streaming=True, data_dir=sample)
assert globalmood.waveform(first(table)["audio"])[0].shape == (channels, 720_000)
assert globalmood.waveform(first(stream)["audio"])[0].shape == (channels, 720_000)
assert len(globalmood.load("songs", "test", data_dir=sample)[0]["title"])
assert len(globalmood.frame("korean", data_dir=sample)) and len(globalmood.terms("korean", data_dir=sample))
batch = next(iter(globalmood.batches("korean", "test", 4, data_dir=sample)))
assert tuple(batch["waveform"].shape) == (4, 2, 720_000)
assert tuple(globalmood.collate(list(itertools.islice(stream, 4)))["waveform"].shape)[:2] == (4, 2)
if not globalmood.can_decode():
    try:
        first(stream.cast_column("audio", datasets.Audio(decode=True)))
    except ImportError as error:
        assert "torchcodec" in str(error)
    else:
        raise SystemExit("decoded without a decoder")
print("all of it works")
"""


def test_T6_without_torchcodec_everything_but_decoding_in_datasets_works(sample):
    done = run(WITHOUT_TORCHCODEC.replace("{sample!r}", repr(str(sample))))
    assert done.stdout == "all of it works\n", done.stderr


def test_T7_a_song_without_audio_is_null_everywhere_and_masked_in_batches(sample):
    rows = list(encoded(sample, "train"))
    silent = {row["song_id"] for row in rows if row["audio"] is None}
    assert silent == {row["song_id"] for row in rows if row["status"] != "ok"}
    assert silent
    assert all(len(row["audio"]["bytes"]) > 0 for row in rows if row["audio"])
    some = [next(row for row in rows if row["audio"]), next(row for row in rows if not row["audio"])]
    batch = globalmood.collate(some)
    assert np.asarray(batch["has_audio"]).tolist() == [True, False]
    assert not np.asarray(batch["waveform"])[1].any()
    seen = globalmood.batches("korean", batch_size=16, decode=False, data_dir=sample)
    masked = {i for b in seen for i, there in zip(b["song_id"], b["has_audio"], strict=True) if not there}
    assert masked == silent


def test_T8_every_clip_decodes_to_its_end(sample):
    for row in itertools.chain(encoded(sample, "train"), encoded(sample, "test")):
        if row["audio"]:
            with soundfile.SoundFile(io.BytesIO(row["audio"]["bytes"])) as clip:
                assert clip.seek(0, soundfile.SEEK_END) == 720_000, row["audio"]["path"]
            assert row["audio"]["path"] == f"{row['song_id']}.flac"


def test_T8_a_damaged_clip_is_named(sample, tmp_path):
    folder = shutil.copytree(sample, tmp_path / "damaged")
    batches = globalmood.batches("korean", "test", 4, data_dir=folder)
    batch = next(iter(globalmood.batches("korean", "test", 4, decode=False, data_dir=folder)))
    song_id, payload = next(pair for pair in zip(batch["song_id"], batch["encoded"], strict=True) if pair[1])
    shard = next(path for path in folder.glob("data/test-*") if payload in path.read_bytes())
    content = bytearray(shard.read_bytes())
    middle = content.index(payload) + len(payload) // 2
    content[middle : middle + 1000] = bytes(1000)
    shard.write_bytes(content)
    with pytest.raises(RunError, match=f"song {song_id}: its audio cannot be used"):
        next(iter(batches))


@pytest.mark.parametrize("split", SPLITS)
def test_T9_payloads_have_the_hashes_of_the_manifest_through_every_door(sample, split):
    hashes = json.loads((sample / "MANIFEST.json").read_text())["audio"]
    doors = {
        "datasets": {row["song_id"]: row["audio"] and row["audio"]["bytes"] for row in encoded(sample, split)},
        "batches": {
            song_id: payload
            for batch in globalmood.batches("korean", split, 16, shuffle=0, decode=False, data_dir=sample)
            for song_id, payload in zip(batch["song_id"], batch["encoded"], strict=True)
        },
    }
    for door, payloads in doors.items():
        found = {song_id: payload and hashlib.sha256(payload).hexdigest() for song_id, payload in payloads.items()}
        assert found == {song_id: hashes.get(song_id) for song_id in found}, door


def test_T10_counts_declared_are_counts_found_and_tables_join_both_ways(sample):
    _, front, _ = (sample / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    declared = {
        info["config_name"]: {split["name"]: split["num_examples"] for split in info["splits"]}
        for info in yaml.safe_load(front)["dataset_info"]
    }
    found = {
        config: {
            split: sum(pq.read_metadata(path).num_rows for path in sample.glob(glob)) for split, glob in files.items()
        }
        for config, files in FILES.items()
    }
    assert {config: declared[config] for config in found} == found
    for split in SPLITS:
        songs = {row["song_id"] for row in load_dataset(str(sample), "songs", split=split, streaming=True)}
        rated = {row["song_id"] for row in load_dataset(str(sample), "ratings", split=split, streaming=True)}
        cells = globalmood.frame("korean", data_dir=sample)
        counted = set(cells[(cells["split"] == split) & (cells["count"] > 0)]["song"])
        assert rated <= songs
        assert counted <= rated


def test_T2_every_song_shard_has_songs_and_none_has_most_of_them(sample):
    for split in SPLITS:
        sizes = [pq.read_metadata(path).num_rows for path in sorted(sample.glob(FILES["all"][split]))]
        assert len(sizes) > 1
        assert min(sizes) > 0
        assert max(sizes) < sum(sizes) / 2


def test_T11_files_stay_within_what_the_viewer_reads(sample):
    paths = sorted(sample.rglob("*.parquet"))
    assert paths
    for path in paths:
        metadata = pq.read_metadata(path)
        for group in (metadata.row_group(index) for index in range(metadata.num_row_groups)):
            assert group.total_byte_size < 64_000_000, path
            assert all(group.column(index).has_offset_index for index in range(metadata.num_columns)), path


@pytest.mark.parametrize("config", ["songs", "ratings"])
def test_T11_a_config_without_sound_is_read_from_small_files_of_its_own(sample, config):
    def size(config):
        return sum(path.stat().st_size for pattern in FILES[config].values() for path in sample.glob(pattern))

    assert 0 < size(config) < 0.02 * size("korean")
    assert not {*FILES[config].values()} & {*FILES["korean"].values()}


def test_T12_an_excerpt_is_as_long_in_every_decoder_and_in_pieces(sample):
    rows = [row for row in encoded(sample, "test") if row["audio"]][:4]
    for payload in (row["audio"]["bytes"] for row in rows):
        whole, rate_hz = soundfile.read(io.BytesIO(payload), dtype="float32", always_2d=True)
        assert (whole.shape, rate_hz) == ((720_000, 2), 48_000)
        with soundfile.SoundFile(io.BytesIO(payload)) as clip:
            clip.seek(300_001)
            np.testing.assert_array_equal(clip.read(1105, dtype="float32"), whole[300_001:301_106])
        np.testing.assert_allclose(by_pyav(payload), whole.T, atol=1e-6)


def by_pyav(payload: bytes) -> np.ndarray:
    import av

    with av.open(io.BytesIO(payload)) as container:
        frames = [frame.to_ndarray() for frame in container.decode(audio=0)]
    return np.concatenate(frames, axis=1).reshape(-1, 2).T / np.float32(32_768)


@pytest.mark.skipif(VERSION < (4, 0) or not globalmood.can_decode(), reason="needs torchcodec and FFmpeg's libraries")
def test_T12_torchcodec_has_the_same_samples_whole_and_in_a_range(sample):
    row = next(row for row in load_dataset(str(sample), "korean", split="test", streaming=True) if row["audio"])
    payload = next(r["audio"]["bytes"] for r in encoded(sample, "test") if r["song_id"] == row["song_id"])
    whole = soundfile.read(io.BytesIO(payload), dtype="float32")[0].T
    np.testing.assert_allclose(row["audio"].get_all_samples().data.numpy(), whole, atol=1e-6)
    part = row["audio"].get_samples_played_in_range(5.0, 6.0).data.numpy()
    np.testing.assert_allclose(part, whole[:, 240_000:288_000], atol=1e-6)


def test_the_interpreter_ends_after_streaming(sample):
    rows = f"datasets.load_dataset({str(sample)!r}, 'korean', split='train', streaming=True)"
    program = f"import datasets, globalmood; rows = {rows}.select_columns(['song_id'])"
    program += "; print(len(list(rows)), len(list(rows.take(1))))"
    with ThreadPoolExecutor(3) as at_once:  # a busy machine is where Arrow's threads outlive the rows
        ended = list(at_once.map(run, [program] * 6))
    assert [(done.returncode, done.stdout) for done in ended] == [(0, "100 1\n")] * 6, ended[0].stderr
