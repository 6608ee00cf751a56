"""`build.training.order`: permutations that anybody can compute again."""

import numpy as np
import pytest

from build.training.order import WINDOW_GROUPS, epoch_order, share_of

SIZES = [8, 3, 8, 0, 1, 8]


def test_without_a_seed_rows_come_as_they_lie_in_every_epoch():
    assert epoch_order(SIZES, None, 0).tolist() == epoch_order(SIZES, None, 7).tolist() == list(range(28))


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_a_seeded_order_has_every_row_once(seed):
    order = epoch_order(SIZES, seed, 3)
    assert sorted(order.tolist()) == list(range(28))
    assert order.tolist() != list(range(28))


def test_the_order_follows_from_seed_and_epoch():
    assert epoch_order(SIZES, 5, 2).tolist() == epoch_order(SIZES, 5, 2).tolist()
    orders = {tuple(epoch_order(SIZES, seed, epoch)) for seed in (0, 1, 2) for epoch in (0, 1, 2)}
    assert len(orders) == 9


def test_rows_stay_within_windows_of_row_groups():
    order = epoch_order([2] * (3 * WINDOW_GROUPS), 0, 0)
    windows = [order[first : first + 2 * WINDOW_GROUPS] // 2 for first in range(0, len(order), 2 * WINDOW_GROUPS)]
    assert [len(set(window.tolist())) for window in windows] == [WINDOW_GROUPS] * 3


def test_rows_of_a_group_are_spread_over_their_window():
    order = epoch_order([8] * 16, 0, 0)
    places = np.argsort(order).reshape(16, 8)
    assert np.ptp(places, axis=1).mean() > 80  # of 128; 99 is expected of chance, 7 of groups that stay together


def test_an_empty_split_has_no_rows():
    for shuffle in (None, 0):
        assert epoch_order([], shuffle, 0).tolist() == []
        assert epoch_order([0, 0], shuffle, 0).tolist() == []


def test_exact_shares_by_hand():
    shares = [share_of(np.arange(7), rank, 3, "exact") for rank in range(3)]
    assert [rows.tolist() for rows, _ in shares] == [[0, 3, 6], [1, 4], [2, 5]]
    assert not any(repeated.any() for _, repeated in shares)


def test_even_shares_by_hand():
    shares = [share_of(np.array([5, 6, 7, 8, 9, 4, 3]), rank, 3, "even") for rank in range(3)]
    assert [rows.tolist() for rows, _ in shares] == [[5, 8, 3], [6, 9, 5], [7, 4, 6]]
    assert [repeated.tolist() for _, repeated in shares] == [[False] * 3, [False, False, True], [False, False, True]]


def test_more_ranks_than_rows():
    assert [share_of(np.arange(2), rank, 4, "exact")[0].tolist() for rank in range(4)] == [[0], [1], [], []]
    assert [share_of(np.arange(2), rank, 4, "even")[0].tolist() for rank in range(4)] == [[0], [1], [0], [1]]
    assert share_of(np.arange(0), 0, 4, "even")[0].tolist() == []
