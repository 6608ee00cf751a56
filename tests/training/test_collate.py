"""`globalmood.collate` on rows in every form that `datasets` hands out."""

import functools
import subprocess
import sys

import numpy as np
import pytest

import globalmood
from build.training import batch as batch_module
from tests.training.folder import song_id, sound


def row(number, *languages, audio=True):
    labels = {"mean": [None, *[number] * 19], "std": [None] * 20, "count": [0, *[3] * 19]}
    cell = {"bytes": sound(number), "path": "a.flac"} if audio else None
    return {"song_id": song_id(number), "title": "x", "audio": cell} | dict.fromkeys(languages, labels)


def arrays(batch):
    return {name: np.asarray(value) for name, value in batch.items()}


def test_a_batch_of_one_language():
    batch = arrays(globalmood.collate([row(4, "korean"), row(7, "korean", audio=False)]))
    assert batch["song_id"].tolist() == ["song-004", "song-007"]
    assert batch["has_audio"].tolist() == [True, False]
    assert (batch["waveform"].dtype, batch["waveform"].shape) == (np.float32, (2, 2, 720_000))
    assert (set(batch["waveform"][0].ravel()), set(batch["waveform"][1].ravel())) == ({4 / 1024}, {0.0})
    assert (batch["mean"].dtype, batch["count"].dtype) == (np.float32, np.int16)
    np.testing.assert_array_equal(batch["mean"], [[np.nan, *[4] * 19], [np.nan, *[7] * 19]])
    assert batch["count"].tolist() == [[0, *[3] * 19]] * 2


def test_languages_stand_side_by_side_in_the_order_of_the_contract():
    rows = [row(1, "korean", "english") | {"english": {"mean": [5.0] * 20, "std": [None] * 20, "count": [9] * 20}}]
    assert arrays(globalmood.collate(rows))["mean"][0, :20].tolist() == [5.0] * 20


def test_rate_and_channels():
    batch = globalmood.collate([row(4, "korean")], rate_hz=24_000, mono=True)
    assert tuple(batch["waveform"].shape) == (1, 1, 360_000)


def test_a_batch_without_any_audio_has_no_samples():
    batch = arrays(globalmood.collate([row(1, "korean", audio=False)] * 2))
    assert (batch["waveform"].shape, batch["has_audio"].tolist()) == ((2, 2, 0), [False, False])


def test_sounds_of_unequal_length_are_padded():
    short = row(4, "korean") | {"audio": {"array": np.full((2, 3), 0.5), "sampling_rate": 48_000}}
    long = row(4, "korean") | {"audio": {"array": np.full((2, 5), 0.25), "sampling_rate": 48_000}}
    batch = arrays(globalmood.collate([short, long]))
    assert batch["waveform"][0].tolist() == [[0.5, 0.5, 0.5, 0, 0]] * 2
    assert batch["waveform"][1].tolist() == [[0.25] * 5] * 2


@pytest.mark.parametrize("kind", ["numpy", "torch"])
def test_formatted_rows_are_taken(kind):
    make = np.asarray if kind == "numpy" else pytest.importorskip("torch").tensor
    labels = {"mean": make([np.nan, *[4.0] * 19]), "std": make([np.nan] * 20), "count": make([0, *[3] * 19])}
    batch = arrays(globalmood.collate([row(4) | {"korean": labels}]))
    np.testing.assert_array_equal(batch["mean"], [[np.nan, *[4] * 19]])


@pytest.mark.parametrize("rows", [[], [{"song_id": "a"}], [{"audio": None}]], ids=str)
def test_other_rows_are_refused(rows):
    with pytest.raises(ValueError, match="rows of a config with audio"):
        globalmood.collate(rows)


def test_without_torch_arrays_are_those_of_numpy(monkeypatch):
    monkeypatch.setattr(batch_module, "torch", None)
    batch = globalmood.collate([row(4, "korean")])
    assert {name for name, value in batch.items() if isinstance(value, np.ndarray)} == set(batch) - {"song_id"}


def test_torch_is_imported_only_if_it_is_there():
    code = "import sys; sys.modules['torch'] = None; import globalmood; print(globalmood.collate([{rows}])['mean'])"
    program = code.replace("{rows}", "{'song_id': 'a', 'audio': None, 'korean': {'mean': [1], 'count': [2]}}")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("[[1.]]\n", 0), done.stderr


def test_it_decodes_in_a_loaders_workers():
    data = pytest.importorskip("torch").utils.data
    collate_fn = functools.partial(globalmood.collate, rate_hz=24_000, mono=True)
    rows = [row(number, "korean", audio=number != 3) for number in range(6)]
    batches = list(data.DataLoader(rows, batch_size=4, num_workers=2, collate_fn=collate_fn))
    assert [batch["song_id"] for batch in batches] == [[song_id(n) for n in range(4)], [song_id(4), song_id(5)]]
    assert batches[0]["has_audio"].tolist() == [True, True, True, False]
