"""The code that the data card shows under "Train with it" runs as it stands there."""

import re

import datasets
import pytest

import globalmood
from build.workspace import METADATA

torch = pytest.importorskip("torch")

SECTION = re.search(r"## Train with it\n(.*?)\n## ", (METADATA / "card.md").read_text(encoding="utf-8"), re.DOTALL)[1]
LOOP, STREAM = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)


class LoudnessModel(torch.nn.Module):
    """One weight for each of the 20 terms."""

    def __init__(self) -> None:
        super().__init__()
        self.head = torch.nn.Linear(1, 20)

    def forward(self, waveform: torch.Tensor) -> torch.Tensor:
        """Ratings (songs, terms) of sounds (songs, 1, samples)."""
        return self.head(waveform.square().mean(2))


@pytest.fixture
def beside(sample, tmp_path, monkeypatch):
    """A working folder with the built folder in it."""
    (tmp_path / "globalmood").symlink_to(sample)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(globalmood, "_location", lambda *_: str(sample))


def test_the_loop_trains_and_its_state_resumes(beside):
    model = LoudnessModel()
    names = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), 0.1)}
    before = model.head.weight.detach().clone()
    exec(LOOP.replace("10)", "1)"), names)  # noqa: S102
    assert not torch.equal(before, model.head.weight)
    resumed = globalmood.batches("korean", batch_size=32, rate_hz=24_000, mono=True, shuffle=0)
    resumed.load_state_dict(names["state"])
    assert (names["state"]["epoch"], list(resumed)) == (0, []), "the state of the last batch is the end of the epoch"


@pytest.mark.skipif(not hasattr(datasets.IterableDataset, "reshard"), reason="before datasets 4.6 without reshard")
def test_the_plain_stream_feeds_a_loader(beside):
    names = {"DataLoader": torch.utils.data.DataLoader, "globalmood": globalmood}
    exec(STREAM, names)  # noqa: S102
    songs = [song_id for batch in names["loader"] for song_id in batch["song_id"]]
    assert len(songs) == len(set(songs)) == names["rows"].info.splits["train"].num_examples
