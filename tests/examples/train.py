"""Train a small model to predict the mean ratings of a language from log-mel features, on a CPU, in a minute or two.

    python -m tests.examples.train [--language korean] [--data-dir globalmood] [--epochs 8] [--workers 2]

On the embedded sample sound and ratings are synthetic: what is learned says that the loop works, and nothing of music.
"""

import argparse
from pathlib import Path

import librosa
import torch
from torch import nn
from torch.utils.data import DataLoader

import globalmood

RATE_HZ = 24_000
WINDOW, HOP, BANDS = 1024, 512, 64  # samples, samples, mel bands
QUIET = 1e-6  # power that the logarithm starts from


class MoodModel(nn.Module):
    """Log-mel features, their mean and deviation over time, and one linear layer."""

    def __init__(self, n_terms: int) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(WINDOW))
        self.register_buffer("bands", torch.from_numpy(librosa.filters.mel(sr=RATE_HZ, n_fft=WINDOW, n_mels=BANDS)))
        self.head = nn.Sequential(
            nn.BatchNorm1d(2 * BANDS, affine=False), nn.Dropout(0.2), nn.Linear(2 * BANDS, n_terms)
        )

    def forward(self, waveform: torch.Tensor) -> torch.Tensor:
        """Ratings (songs, terms) of sounds (songs, 1, samples)."""
        spectrum = torch.stft(waveform[:, 0], WINDOW, HOP, window=self.window, return_complex=True)
        mel = torch.log(self.bands @ spectrum.abs().square() + QUIET)
        return self.head(torch.cat([mel.mean(2), mel.std(2)], dim=1))


def squared_error(predicted: torch.Tensor, batch: dict) -> torch.Tensor:
    """Squared differences to the means of rated terms of songs with audio, in one dimension."""
    known = batch["has_audio"][:, None] & ~batch["mean"].isnan()
    return (predicted - batch["mean"])[known].square()


def train_mean(language: str, data_dir: Path) -> torch.Tensor:
    """The mean of each term over the train songs, in the order of the terms."""
    frame = globalmood.frame(language, data_dir=data_dir)
    means = frame[frame["split"] == "train"].groupby("term", sort=False)["mean"].mean()
    return torch.tensor(means.to_numpy(), dtype=torch.float32)


def train(language: str, data_dir: Path, epochs: int, workers: int, seed: int = 0) -> MoodModel:
    """Fit a model; the same seed gives the same model, whatever the number of workers."""
    torch.manual_seed(seed)
    baseline = train_mean(language, data_dir)
    batches = globalmood.batches(language, "train", 16, RATE_HZ, mono=True, shuffle=seed, data_dir=data_dir)
    loader = DataLoader(batches, batch_size=None, num_workers=workers)
    model = MoodModel(len(baseline))
    nn.init.zeros_(model.head[-1].weight)  # training starts from the train-mean predictor
    model.head[-1].bias.data.copy_(baseline)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
    for epoch in range(epochs):
        batches.set_epoch(epoch)
        losses = []
        for batch in loader:
            loss = squared_error(model(batch["waveform"]), batch).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: mean squared error {sum(losses) / len(losses):.3f}")
    return model


@torch.no_grad()
def test(model: MoodModel, language: str, data_dir: Path, workers: int) -> tuple[float, float]:
    """Mean squared errors on the test songs: the model's, and those of the train means."""
    model.eval()
    baseline, errors = train_mean(language, data_dir), ([], [])
    batches = globalmood.batches(language, "test", 16, RATE_HZ, mono=True, data_dir=data_dir)
    for batch in DataLoader(batches, batch_size=None, num_workers=workers):
        errors[0].append(squared_error(model(batch["waveform"]), batch))
        errors[1].append(squared_error(baseline.expand_as(batch["mean"]), batch))
    return torch.cat(errors[0]).mean().item(), torch.cat(errors[1]).mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--language", default="korean", choices=list(globalmood.STATISTICS))
    parser.add_argument("--data-dir", type=Path, default=Path("globalmood"))
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    model = train(asked.language, asked.data_dir, asked.epochs, asked.workers)
    of_model, of_means = test(model, asked.language, asked.data_dir, asked.workers)
    print(f"test: mean squared error {of_model:.3f}, of the train means {of_means:.3f}")


if __name__ == "__main__":
    main()
