"""Which songs an epoch's batches hold: a pure function of seed, epoch, batch size and rank, whoever reads them."""

from collections.abc import Sequence

import numpy as np

WINDOW_GROUPS = 64  # row groups whose rows are mixed: some 512 songs


def epoch_order(group_sizes: Sequence[int], shuffle: int | None, epoch: int) -> np.ndarray:
    """Row numbers in the order of an epoch: as they lie for `shuffle` None, else drawn from (shuffle, epoch).

    Row groups are permuted, and then the rows within every window of WINDOW_GROUPS of them, so that what is read
    together lies together.
    """
    starts = np.concatenate([[0], np.cumsum(group_sizes, dtype=np.int64)])
    if shuffle is None:
        return np.arange(starts[-1])
    draw = np.random.default_rng([shuffle, epoch])
    groups = draw.permutation(len(group_sizes))
    order = [np.zeros(0, np.int64)]
    for first in range(0, len(groups), WINDOW_GROUPS):
        window = groups[first : first + WINDOW_GROUPS]
        rows = np.concatenate([np.arange(starts[group], starts[group + 1]) for group in window])
        order.append(draw.permutation(rows))
    return np.concatenate(order)


def share_of(order: np.ndarray, rank: int, world_size: int, ranks: str) -> tuple[np.ndarray, np.ndarray]:
    """The rows of an epoch that one rank takes, and a mask of those that are taken a second time.

    `exact` takes each row once, so that some ranks have a row more than others. `even` gives all ranks equally many:
    the last round is filled up from the beginning of the epoch.
    """
    n_rows = len(order)
    if ranks == "even":
        order = np.resize(order, -(-n_rows // world_size) * world_size)
    repeated = np.arange(len(order)) >= n_rows
    return order[rank::world_size], repeated[rank::world_size]
