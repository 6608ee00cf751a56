"""What the Hub asks of a dataset: a card that its classes read, and files that its viewer reads in parts."""

import importlib.resources
import json

import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import DatasetCard

from globalmood import CONFIGS

VIEWER_LIMIT_BYTES = 64_000_000  # a fifth of the size at which the viewer gives up on a row group
RESOURCES = importlib.resources.files("datasets.utils.resources")


def vocabulary(name: str):
    return json.loads((RESOURCES / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(params=["sample", "built", "silent"])
def folder(request):
    return request.getfixturevalue(request.param)


def parquet_files(folder):
    files = sorted(folder.rglob("*.parquet"))
    assert len(files) >= 18  # two of songs with sound, two without, ten of ratings, four of the rest
    return files


def test_row_groups_are_small_enough_for_the_viewer(folder):
    for path in parquet_files(folder):
        data = pq.read_metadata(path)
        for index in range(data.num_row_groups):
            assert data.row_group(index).total_byte_size < VIEWER_LIMIT_BYTES, path


def test_every_column_has_a_page_index(folder):
    for path in parquet_files(folder):
        data = pq.read_metadata(path)
        groups = [data.row_group(index) for index in range(data.num_row_groups)]
        columns = [group.column(index) for group in groups for index in range(group.num_columns)]
        assert all(column.has_offset_index for column in columns), path
        assert {column.path_in_schema for column in columns if not column.has_column_index} <= {"audio.bytes"}, path


def test_every_footer_notes_how_the_file_was_chunked(folder):
    for path in parquet_files(folder):
        noted = json.loads(pq.read_metadata(path).metadata[b"content_defined_chunking"])
        assert noted == {"min_chunk_size": 262_144, "max_chunk_size": 1_048_576, "norm_level": 0}, path


def test_the_card_is_read_by_the_hubs_own_class(folder):
    card = DatasetCard.load(folder / "README.md")
    front_matter = yaml.safe_load(card.content.split("---\n")[1])
    assert card.data.to_dict() == front_matter
    assert [config["config_name"] for config in card.data.to_dict()["configs"]] == list(CONFIGS)


def test_the_card_speaks_the_hubs_vocabularies(folder):
    data = DatasetCard.load(folder / "README.md").data
    assert set(data.size_categories) <= set(vocabulary("size_categories"))
    assert set(data.multilinguality) <= set(vocabulary("multilingualities"))
    assert set(data.annotations_creators) <= set(vocabulary("creators")["annotations"])
    assert set(data.language) <= set(vocabulary("languages"))
    assert data.task_categories == ["audio-classification"]
    assert data.license == "other"
    assert data.to_dict()["license_name"] == "annotations-mit-audio-of-its-owners"
