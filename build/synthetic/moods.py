"""The latent moods of the songs, and the ratings that they make people expect."""

import numpy as np
from numpy.typing import NDArray

from build.synthetic.seeds import generator

Reals = NDArray[np.float64]

MOODS = ("valence", "energy", "tension", "dance", "tenderness")
SLOPE = 0.47  # of expected ratings: gives terms a standard deviation over songs of about 0.7 on the scale of 1 to 5


def latent_moods(seed: int, n_songs: int) -> Reals:
    """Moods of the songs, shape (n_songs, 5): columns as in `MOODS`, each uniform with mean 0 and variance 1.

    A Latin hypercube: every mood takes every 1/n_songs of its range once, so that few songs cover the space well.
    """
    ranks = np.column_stack([generator(seed, "moods", mood).permutation(n_songs) for mood in MOODS])
    return ((ranks + 0.5) / n_songs - 0.5) * np.sqrt(12.0)


def share(moods: Reals) -> Reals:
    """Where each mood stands between its least (0) and its most (1)."""
    return np.clip(moods / np.sqrt(12.0) + 0.5, 0.0, 1.0)


def expected_ratings(moods: Reals, weights: Reals, levels: Reals) -> Reals:
    """What a listener without bias or noise would answer on the scale of 1 to 5, shape (n_songs, n_terms).

    `weights` has shape (n_terms, 5); `levels`, shape (n_terms,), strictly between 1 and 5, is the answer to a song of
    middling mood. A tanh keeps answers inside the scale.
    """
    neutral = np.arctanh((levels - 3.0) / 2.0)
    return 3.0 + 2.0 * np.tanh(neutral + SLOPE * moods @ weights.T)
