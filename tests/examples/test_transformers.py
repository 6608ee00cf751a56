"""The data card's way into `transformers.Trainer`."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
transformers = pytest.importorskip("transformers")

import globalmood  # noqa: E402
from tests.examples.train import MoodModel, squared_error  # noqa: E402


def test_the_trainer_sees_every_song_once_an_epoch_in_a_new_order(sample, tmp_path):
    batches = globalmood.batches("korean", "test", 6, 24_000, mono=True, shuffle=0, data_dir=sample)
    seen = {0: [], 1: []}

    class SetEpoch(transformers.TrainerCallback):
        def on_epoch_begin(self, args, state, control, **kwargs):
            batches.set_epoch(round(state.epoch))

    class MoodTrainer(transformers.Trainer):
        def get_train_dataloader(self):
            return torch.utils.data.DataLoader(batches, batch_size=None, num_workers=1)

        def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
            seen[inputs["state"]["epoch"]] += inputs["song_id"]
            return squared_error(model(inputs["waveform"]), inputs).mean()

    arguments = transformers.TrainingArguments(
        str(tmp_path),
        num_train_epochs=2,
        remove_unused_columns=False,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    )
    MoodTrainer(MoodModel(20), arguments, callbacks=[SetEpoch()]).train()
    assert sorted(seen[0]) == sorted(seen[1]) != seen[0] != seen[1]
    assert len(set(seen[0])) == len(seen[0]) > 0
