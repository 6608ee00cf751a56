"""`build.validate.card`: a card sends `datasets` to the files of its own folder only."""

import pytest

from build.validate.card import check_card

FILES = {"songs": {"train": "data/train-*.parquet"}}
GOOD = """---
configs:
- config_name: songs
  data_files:
  - split: train
    path: data/train-*.parquet
---
# A dataset
"""


def problems(folder, card: str) -> list[str]:
    (folder / "README.md").write_text(card)
    return list(check_card(folder, FILES))


def test_a_card_of_the_published_files(tmp_path):
    assert problems(tmp_path, GOOD) == []


def test_no_card_is_for_others_to_find(tmp_path):
    assert list(check_card(tmp_path, FILES)) == []


def test_what_is_no_file_is_not_opened(tmp_path):
    (tmp_path / "README.md").symlink_to("/dev/null")
    assert list(check_card(tmp_path, FILES)) == []


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../../secrets/*.parquet",
        "https://example.org/x.parquet",
        "hf://datasets/a/b/*",
        "s3://b/*",
        "**",
    ],
)
def test_a_card_that_reads_elsewhere(tmp_path, path):
    card = GOOD.replace("data/train-*.parquet", f'"{path}"')
    assert problems(tmp_path, card) == [
        f"README.md: config 'songs' reads {path!r} as 'train', which is no file of this dataset"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("songs", "more"),
        ("split: train", "split: secret"),
        ("split: train", "split: [train]"),
        ("config_name: songs", "config_name: [songs]"),
        ("config_name: songs", f"config_name: 0x{'f' * 5_000}"),
    ],
)
def test_a_config_or_split_that_is_none(tmp_path, old, new):
    assert "which is no file of this dataset" in problems(tmp_path, GOOD.replace(old, new, 1))[0]


@pytest.mark.parametrize("card", ["---\nconfigs: []\n---\n" + GOOD, "---\nconfigs: []\r---\n" + GOOD[4:]])
def test_a_card_that_leaves_the_finding_of_files_to_datasets(tmp_path, card):
    assert problems(tmp_path, card) == ["README.md: it has no config 'songs'"]


def test_a_folder_of_data_elsewhere(tmp_path):
    card = GOOD.replace("  data_files", "  data_dir: /etc\n  data_files")
    assert problems(tmp_path, card) == ["README.md: a config has 'data_dir', which sends `datasets` elsewhere"]


@pytest.mark.parametrize(
    "card",
    [
        "",
        "# no front matter\n",
        "---\n",
        "---\n- a list\n---\n",
        "---\nconfigs: 3\n---\n",
        "---\nconfigs:\n- config_name: songs\n---\n",
        "---\n!!python/object/apply:os.system ['touch hacked']\n---\n",
        "---\na: &a [*a]\nconfigs: *a\n---\n",
        "---\n\x00\n---\n",
        "---\ntime: 1" + ":00" * 200 + ".0\n---\n",
        "---\n" + "[" * 100_000 + "\n---\n",
    ],
)
def test_front_matter_that_is_none(tmp_path, card):
    assert problems(tmp_path, card)[0].startswith("README.md: its front matter cannot be read: ")
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_a_path_that_is_endless_when_it_is_written_out(tmp_path):
    """Thirty lists, each of the one before nine times: 9 to the power of 30 texts."""
    bomb = "x0: &x0 [a]\n" + "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]\n" for n in range(1, 30))
    card = GOOD.replace("configs:", f"{bomb}configs:").replace("path: data/train-*.parquet", "path: *x29")
    [problem] = problems(tmp_path, card)
    assert len(problem) < 1_000
