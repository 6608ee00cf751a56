import pytest

from build.madb import shards

MB = 1_000_000


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([], []),
        ([0, 0, 0], [(0, 3)]),
        ([6 * MB, 6 * MB, 6 * MB, 6 * MB], [(0, 2), (2, 2)]),
        ([1, 40 * MB, 1], [(0, 1), (1, 1), (2, 1)]),
        ([16 * MB, 0], [(0, 2)]),
        ([0] * 2_500, [(0, 1000), (1000, 1000), (2000, 500)]),
    ],
)
def test_row_groups_follow_from_bytes(sizes, groups):
    assert list(shards.row_groups(sizes)) == groups


def test_shards_double_with_their_bytes():
    assert [shards.shard_count("train", size) for size in (0, 6_400 * MB, 6_401 * MB)] == [16, 16, 32]
