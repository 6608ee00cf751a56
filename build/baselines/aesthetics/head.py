"""A small Transformer over the vectors of a track's windows, with one output a dimension."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import nn

from build.analysis.correlation import Floats

WIDTH, LAYERS, HEADS, DROPOUT = 128, 2, 4, 0.1
LEAST_FOR_CORRELATION = 3  # tracks in a batch: with two, r is 1 or -1


class Head(nn.Module):
    """Vectors (tracks, windows, dimensions of the encoder) -> scores (tracks, targets).

    `start` (targets,) is what it says before it has learnt anything: the mean scores of the training tracks.
    """

    def __init__(self, n_inputs: int, most_windows: int, start: Floats) -> None:
        super().__init__()
        self.project = nn.Linear(n_inputs, WIDTH)
        self.places = nn.Parameter(torch.zeros(most_windows, WIDTH))
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, DROPOUT, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.scores = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(start)))
        nn.init.zeros_(self.scores[1].weight)
        self.scores[1].bias.data = torch.tensor(start, dtype=torch.float32)

    def forward(self, vectors: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        """`there` (tracks, windows) says which windows a track has."""
        hidden = self.project(vectors) + self.places[: vectors.shape[1]]
        hidden = self.encoder(hidden, src_key_padding_mask=~there)
        weights = there.unsqueeze(-1).float()
        return self.scores((hidden * weights).sum(dim=1) / weights.sum(dim=1))


def loss(predicted: torch.Tensor, rated: torch.Tensor, correlation: float) -> torch.Tensor:
    """Mean squared error, plus `correlation` times (1 - r) averaged over targets.

    predicted, rated : (tracks, targets); NaN in `rated` does not apply, and has no part in either.
    """
    there = torch.isfinite(rated)
    error = predicted - torch.where(there, rated, 0.0)
    squared = (error.square() * there).sum() / there.sum().clamp(min=1)
    if not correlation:
        return squared
    distances = [1 - _r(predicted[known, k], rated[known, k]) for k, known in _learnable(there)]
    return squared + correlation * (torch.stack(distances).mean() if distances else squared * 0.0)


def _learnable(there: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
    return ((k, there[:, k]) for k in range(there.shape[1]) if there[:, k].sum() >= LEAST_FOR_CORRELATION)


def _r(predicted: torch.Tensor, rated: torch.Tensor) -> torch.Tensor:
    predicted, rated = predicted - predicted.mean(), rated - rated.mean()
    return (predicted * rated).sum() / (predicted.norm() * rated.norm()).clamp(min=1e-6)


def padded(tracks: Sequence[Floats], most_windows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Vectors (windows, dimensions) of several tracks as one tensor, and which windows each has."""
    vectors = torch.zeros(len(tracks), most_windows, tracks[0].shape[1])
    there = torch.zeros(len(tracks), most_windows, dtype=torch.bool)
    for index, track in enumerate(tracks):
        vectors[index, : len(track)] = torch.tensor(np.asarray(track), dtype=torch.float32)
        there[index, : len(track)] = True
    return vectors, there
