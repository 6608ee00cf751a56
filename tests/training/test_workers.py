"""`globalmood.batches` in PyTorch's loaders: the same batches with any number of workers, however they start."""

import itertools
import pickle
import subprocess
import sys

import pytest

import globalmood
from tests.training.folder import TRAIN, sound, write_folder

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader  # noqa: E402

pytestmark = pytest.mark.filterwarnings(
    "ignore:This DataLoader will create"
)  # more workers than this machine has cores


@pytest.fixture
def open_small(small):
    def open_batches(**asked):
        return globalmood.batches("korean", data_dir=small, **{"batch_size": 4, "decode": False, "shuffle": 0} | asked)

    return open_batches


def ids(batches):
    return [list(batch["song_id"]) for batch in batches]


def loaded(batches, num_workers, **options):
    return DataLoader(batches, batch_size=None, num_workers=num_workers, **options)


@pytest.mark.parametrize("num_workers", [0, 1, 2, 4, 8])
def test_any_number_of_workers_gives_the_same_batches_in_the_same_order(open_small, num_workers):
    whole = ids(open_small())
    assert len(loaded(open_small(), num_workers)) == len(whole)
    assert ids(loaded(open_small(), num_workers)) == whole


@pytest.mark.parametrize("method", ["fork", "spawn", pytest.param("forkserver", marks=pytest.mark.slow)])
def test_any_way_to_start_workers(open_small, method):
    batches = open_small(decode=True, rate_hz=8_000)
    next(iter(batches))  # threads and files of the parent are nothing to its workers
    assert ids(loaded(batches, 1, multiprocessing_context=method)) == ids(open_small())


def test_tensors_come_whole_out_of_workers(open_small):
    here, there = list(open_small(decode=True)), list(loaded(open_small(decode=True), 2))
    for left, right in zip(here, there, strict=True):
        assert left.keys() == right.keys()
        for name in ("waveform", "has_audio", "mean", "count", "repeated"):
            assert torch.equal(torch.nan_to_num(left[name]), torch.nan_to_num(right[name])), name


def test_encoded_sound_comes_whole_out_of_workers(open_small):
    here, there = list(open_small()), list(loaded(open_small(), 2))
    assert [batch["encoded"] for batch in here] == [batch["encoded"] for batch in there]
    assert {type(value) for batch in there for value in batch["encoded"]} == {bytes, type(None)}


def test_epochs_differ_and_repeat(open_small):
    batches = open_small()
    loader = loaded(batches, 2)
    seen = {}
    for epoch in (0, 1, 0, 1):
        batches.set_epoch(epoch)
        order = ids(loader)
        assert seen.setdefault(epoch, order) == order
    assert seen[0] != seen[1]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_that_outlive_a_pass_hear_of_the_next_epoch(open_small, method):
    batches, wanted = pickle.loads(pickle.dumps(open_small())), open_small()  # noqa: S301
    *_, batch = itertools.islice(open_small(), 2)
    batches.load_state_dict(batch["state"])
    loader = loaded(batches, 2, multiprocessing_context=method, persistent_workers=True)
    next(iter(loader))  # and no more of the epoch in which it was resumed
    for epoch in (1, 0):
        batches.set_epoch(epoch)
        wanted.set_epoch(epoch)
        assert ids(loader) == ids(wanted)


@pytest.mark.parametrize(("before", "after"), [(0, 3), (1, 0), (2, 2), (3, 1), (2, 4)])
def test_resumed_with_another_number_of_workers_it_goes_on_exactly(open_small, before, after):
    whole = ids(open_small())
    for stop in (1, 2, 5, len(whole)):
        *_, batch = itertools.islice(loaded(open_small(), before), stop)
        batches = open_small()
        batches.load_state_dict(batch["state"])
        assert ids(loaded(batches, after)) == whole[stop:]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(0, 2), (1, 8), (2, 1), (4, 2), (8, 4)], ids=str)
def test_resumed_at_every_batch_twice_with_other_workers(open_small, workers):
    whole = ids(open_small())
    for first in range(1, len(whole)):
        *_, batch = itertools.islice(loaded(open_small(), workers[0]), first)
        batches = open_small()
        batches.load_state_dict(batch["state"])
        *_, batch = itertools.islice(loaded(batches, workers[1]), 1)
        again = open_small()
        again.load_state_dict(batch["state"])
        assert ids(loaded(again, workers[0])) == whole[first + 1 :]


@pytest.mark.parametrize("num_workers", [0, 1, 2])
def test_the_stateful_loader_resumes_at_every_batch_twice(open_small, num_workers):
    StatefulDataLoader = pytest.importorskip("torchdata.stateful_dataloader").StatefulDataLoader  # noqa: N806

    def resumed(state):
        loader = StatefulDataLoader(open_small(), batch_size=None, num_workers=num_workers)
        loader.load_state_dict(state)
        return loader

    whole = ids(open_small())
    for stop in range(1, len(whole) - 1, 1 if num_workers == 0 else 3):
        loader = StatefulDataLoader(open_small(), batch_size=None, num_workers=num_workers)
        assert ids(itertools.islice(loader, stop)) == whole[:stop]
        second = resumed(loader.state_dict())
        assert ids(itertools.islice(second, 1)) == whole[stop : stop + 1]
        assert ids(resumed(second.state_dict())) == whole[stop + 1 :]


def test_the_state_of_one_worker_is_refused_elsewhere(open_small):
    batches = open_small()
    batches.load_state_dict(batches.state_dict() | {"workers": 2})
    with pytest.raises(ValueError, match="one of 2 workers, and here are 1"):
        next(iter(batches))


def test_an_error_in_a_worker_reaches_the_loop(small, tmp_path):
    broken = write_folder(tmp_path / "broken", lambda number: b"no sound" if number == 13 else sound(number))
    batches = globalmood.batches("korean", batch_size=4, data_dir=broken)
    with pytest.raises(Exception, match="song-013: its audio cannot be used"):
        list(loaded(batches, 2))


def test_the_interpreter_ends_when_a_loop_is_left_early(small):
    program = f"""
import globalmood
from torch.utils.data import DataLoader
batches = globalmood.batches("korean", batch_size=4, shuffle=0, data_dir={str(small)!r})
print(next(iter(DataLoader(batches, batch_size=None, num_workers=2)))["song_id"][0])
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert (done.returncode, done.stdout[:5]) == (0, "song-"), done.stderr


def test_more_workers_than_batches(open_small):
    assert ids(loaded(open_small(batch_size=sum(TRAIN)), 3)) == ids(open_small(batch_size=sum(TRAIN)))
