"""`globalmood.batches`: what a batch holds, that every song comes once, and that a run can be resumed anywhere."""

import itertools
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import globalmood
from tests.bench.ranges import serve
from tests.training.folder import TEST, TRAIN, has_audio, mean, song_id

ALL = sorted(song_id(number) for number in range(sum(TRAIN)))


@pytest.fixture
def open_small(small):
    """Batches of the small folder without decoding, which is what most tests are not about."""

    def open_batches(config="korean", **asked):
        return globalmood.batches(config, data_dir=small, **{"batch_size": 4, "decode": False} | asked)

    return open_batches


def ids(batches) -> list[list[str]]:
    return [list(batch["song_id"]) for batch in batches]


def flat(batches) -> list[str]:
    return [one for batch in ids(batches) for one in batch]


def test_a_batch_holds_sound_and_labels_of_its_songs(open_small):
    batch = next(iter(open_small(decode=True)))
    values = {name: np.asarray(batch[name]) for name in ("waveform", "has_audio", "mean", "count", "repeated")}
    assert batch["song_id"] == [song_id(number) for number in range(4)]
    assert (values["waveform"].dtype, values["waveform"].shape) == (np.float32, (4, 2, 720_000))
    assert [song.max() for song in values["waveform"]] == [0, 1 / 1024, 0, 3 / 1024]
    assert values["has_audio"].tolist() == [has_audio(number) for number in range(4)] == [True, True, False, True]
    np.testing.assert_array_equal(values["mean"], [[mean(number, term) for term in range(20)] for number in range(4)])
    assert values["count"].tolist() == [[1] * 20, [2] * 20, [3] * 20, [0, *[4] * 19]]
    assert values["repeated"].tolist() == [False] * 4


def test_sound_at_another_rate_of_one_channel(open_small):
    batch = next(iter(open_small(decode=True, rate_hz=24_000, mono=True)))
    assert tuple(batch["waveform"].shape) == (4, 1, 360_000)
    np.testing.assert_allclose(batch["waveform"][3, 0, 100:-100], 3 / 1024, rtol=1e-4)


def test_all_languages_stand_side_by_side(open_small):
    batches = open_small("all")
    assert batches.languages == tuple(globalmood.STATISTICS)
    batch = next(iter(batches))
    assert tuple(batch["mean"].shape) == tuple(batch["count"].shape) == (4, 100)
    np.testing.assert_array_equal(batch["mean"][1], np.tile([mean(1, term) for term in range(20)], 5))


def test_encoded_sound_is_handed_out_as_it_is_published(open_small):
    batch = next(iter(open_small()))
    assert "waveform" not in batch
    decoded, _ = globalmood.waveform({"bytes": batch["encoded"][3], "path": None})
    assert (set(decoded.ravel()), batch["encoded"][2]) == ({3 / 1024}, None)


def test_it_agrees_with_waveform_and_collate_on_the_sample(sample):
    batch = next(iter(globalmood.batches("korean", "test", 4, rate_hz=16_000, mono=True, data_dir=sample)))
    rows = globalmood.load("korean", "test", streaming=True, data_dir=sample).cast_column(
        "audio", globalmood.Audio(decode=False)
    )
    collated = globalmood.collate(list(itertools.islice(rows, 4)), rate_hz=16_000, mono=True)
    assert batch["song_id"] == collated["song_id"]
    for name in ("waveform", "has_audio", "mean", "count"):
        np.testing.assert_array_equal(batch[name], collated[name])


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize("shuffle", [None, 0, 7])
def test_every_song_comes_once_an_epoch(open_small, split, shuffle):
    batches = open_small(split=split, shuffle=shuffle)
    first, n_songs = (0, sum(TRAIN)) if split == "train" else (sum(TRAIN), sum(TEST))
    assert sorted(flat(batches)) == [song_id(first + number) for number in range(n_songs)]
    assert len(ids(batches)) == len(batches) == -(-n_songs // 4)
    assert [len(batch) for batch in ids(batches)][:-1] == [4] * (len(batches) - 1)


def test_the_order_follows_from_seed_and_epoch(open_small):
    def order(**asked):
        return tuple(flat(open_small(**asked)))

    assert order() == tuple(ALL)
    assert order(shuffle=3) == order(shuffle=3) == order(shuffle=3, config="all", decode=True)
    assert len({order(shuffle=seed, epoch=epoch) for seed in (0, 1) for epoch in (0, 1)} | {order()}) == 5


def test_set_epoch_is_the_same_as_beginning_there(open_small):
    batches = open_small(shuffle=0)
    first = ids(batches)
    batches.set_epoch(5)
    assert ids(batches) == ids(open_small(shuffle=0, epoch=5)) != first
    batches.set_epoch(0)
    assert ids(batches) == first


def test_a_pass_begins_anew_after_one_that_was_broken_off(open_small):
    batches = open_small(shuffle=0)
    whole = ids(batches)
    next(iter(batches))
    assert ids(batches) == whole


@pytest.mark.parametrize("ranks", ["exact", "even"])
@pytest.mark.parametrize("world_size", range(1, 9))
def test_ranks_share_an_epoch(open_small, world_size, ranks):
    parts = [list(open_small(shuffle=0, world_size=world_size, rank=rank, ranks=ranks)) for rank in range(world_size)]
    songs = [
        (one, bool(again))
        for part in parts
        for batch in part
        for one, again in zip(batch["song_id"], batch["repeated"], strict=True)
    ]
    assert sorted(one for one, again in songs if not again) == ALL
    sizes = [sum(len(batch["song_id"]) for batch in part) for part in parts]
    assert max(sizes) - min(sizes) <= (ranks == "exact")
    assert sum(again for _, again in songs) == (-len(ALL) % world_size if ranks == "even" else 0)
    assert [len(part) for part in parts] == [
        len(open_small(world_size=world_size, rank=rank, ranks=ranks)) for rank in range(world_size)
    ]


def test_even_ranks_take_equally_many_steps_of_equal_size(open_small):
    parts = [ids(open_small(shuffle=1, world_size=8, rank=rank, ranks="even")) for rank in range(8)]
    assert {tuple(map(len, part)) for part in parts} == {(4, 1)}


@pytest.mark.parametrize("shuffle", [None, 0])
@pytest.mark.parametrize("ranks", ["exact", "even"])
def test_resumed_at_every_batch_and_again_it_goes_on_exactly(open_small, shuffle, ranks):
    place = {"shuffle": shuffle, "world_size": 2, "rank": 1, "ranks": ranks, "batch_size": 3, "epoch": 2}
    whole = list(open_small(**place))
    for first in range(len(whole) + 1):
        for second in range(first, len(whole) + 1):
            state = open_small(**place).state_dict() if not first else whole[first - 1]["state"]
            batches = open_small(**place | {"epoch": 0})
            batches.load_state_dict(json.loads(json.dumps(state)))
            taken = list(itertools.islice(batches, second - first))
            again = open_small(**place | {"epoch": 0})
            again.load_state_dict(json.loads(json.dumps(batches.state_dict())))
            assert ids(taken) + ids(again) == ids(whole[first:])


def test_the_state_of_the_object_is_that_of_the_batch_just_taken(open_small):
    batches = open_small(shuffle=0)
    for batch in batches:
        assert batches.state_dict() == batch["state"]
    assert batch["state"]["batch"] == len(batches)


def test_a_resumed_run_goes_on_into_the_next_epochs(open_small):
    run = [open_small(shuffle=0, epoch=epoch) for epoch in range(3)]
    whole = [ids(batches) for batches in run]
    batches = open_small(shuffle=0)
    batches.load_state_dict(list(run[1])[4]["state"])
    seen = []
    for epoch in range(batches.epoch, 3):
        batches.set_epoch(epoch)
        seen.append(ids(batches))
    assert seen == [whole[1][5:], whole[2]]


def test_after_a_resumed_epoch_the_next_pass_is_whole(open_small):
    batches = open_small()
    batches.load_state_dict(list(batches)[6]["state"])
    assert [len(ids(batches)), len(ids(batches))] == [len(batches) - 7, len(batches)]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"batch_size": 5}, "batch_size is 5 and was 4"),
        ({"world_size": 2}, "world_size is 2 and was 1"),
        ({"shuffle": 1}, "shuffle is 1 and was 0"),
        ({"shuffle": None}, "shuffle is None and was 0"),
        ({"ranks": "even"}, "ranks is 'even' and was 'exact'"),
        ({"split": "test"}, "split is 'test' and was 'train'"),
    ],
)
def test_a_state_of_other_batches_is_refused(open_small, changed, message):
    state = next(iter(open_small(shuffle=0)))["state"]
    with pytest.raises(ValueError, match=message):
        open_small(**{"shuffle": 0} | changed).load_state_dict(state)


def test_a_state_of_other_data_is_refused(open_small, sample):
    state = next(iter(open_small()))["state"]
    with pytest.raises(ValueError, match=r"content is '[0-9a-f]{16}' and was '[0-9a-f]{16}'"):
        globalmood.batches("korean", batch_size=4, data_dir=sample).load_state_dict(state)


@pytest.mark.parametrize("state", [{}, {"epoch": 0, "batch": 3}])
def test_something_else_is_no_state(open_small, state):
    with pytest.raises(ValueError, match="batch_size is 4 and was None"):
        open_small().load_state_dict(state)


def test_a_state_does_not_depend_on_language_or_form_of_the_sound(open_small):
    state = list(open_small("korean", shuffle=0))[2]["state"]
    batches = open_small("all", shuffle=0, mono=True, decode=True)
    batches.load_state_dict(state)
    assert ids(batches) == ids(open_small(shuffle=0))[3:]


def test_it_can_be_pickled_in_the_middle(open_small):
    batches = open_small(shuffle=0)
    batches.load_state_dict(list(batches)[3]["state"])
    assert ids(pickle.loads(pickle.dumps(batches))) == ids(batches)  # noqa: S301


def test_without_torch_it_gives_arrays(small):
    program = f"""
import sys
sys.modules["torch"] = None
import numpy, globalmood
for batch in globalmood.batches("korean", batch_size=20, shuffle=0, data_dir={str(small)!r}):
    kinds = [str(value.dtype) for value in batch.values() if isinstance(value, numpy.ndarray)]
    print(batch["waveform"].shape, kinds)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    kinds = "['float32', 'bool', 'float32', 'int16', 'bool']"
    assert done.stdout.splitlines() == [f"({n}, 2, 720000) {kinds}" for n in (20, 19)], done.stderr


def test_behind_http_it_is_the_same_and_reads_little_more_than_the_sound(sample):
    here = list(globalmood.batches("korean", "test", 8, shuffle=0, decode=False, data_dir=sample))
    useful = sum(len(payload) for batch in here for payload in batch["encoded"] if payload)
    with serve(sample, latency_s=0.01) as server:
        there = list(globalmood.batches("korean", "test", 8, shuffle=0, decode=False, data_dir=server.address))
        counts = server.counts()
    for left, right in zip(here, there, strict=True):
        assert (left["song_id"], left["encoded"]) == (right["song_id"], right["encoded"])
    assert counts["bytes"] < 1.05 * useful


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="is not a built dataset"):
        globalmood.batches(data_dir=tmp_path)
