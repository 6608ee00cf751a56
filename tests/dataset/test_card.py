"""`build.dataset.card`: what a card says, and the YAML that `datasets` reads."""

import copy

import pytest
import yaml
from huggingface_hub import DatasetCard

from build import vocab
from build.dataset.card import render
from build.workspace import METADATA
from globalmood import CONFIGS, FEATURES

FACTS = {
    "title": "GlobalMood",
    "source": "folder",
    "version": "1.0.0",
    "songs": {
        "all": 1180,
        "train": 1000,
        "test": 180,
        "countries": 59,
        "with_audio": 7,
        "withheld": 0,
        "status": {"ok": 7, "private": 3},
    },
    "charts": {},
    "figures": [{"name": "terms", "alt": "Bars of [terms]"}],
    "loudness": {"policy": "limit", "in_lufs": [-11.26, 2.04], "out_lufs": [-7.0, 0.5]},
    "ratings": {"read": 988_930, "kept": 988_925, "dropped": {"off_scale": 5}},
    "languages": [
        {
            "config": "korean",
            "tag": "ko-KR",
            "name": "Korean",
            "population": "listeners in South Korea",
            "n_terms": 20,
            "raters": 350,
            "ratings": 200_000,
            "mean_count": 8.38,
            "terms": [{"term": "신나는", "translation": "exciting"}],
        }
    ],
    "configs": [
        {"name": name, "rows": rows, "splits": {"train": 1000, "test": 0 if name == "ratings" else 180}}
        for name, rows in CONFIGS.items()
    ],
}


def card(facts=None, digests=True) -> str:
    template = (METADATA / "card.md").read_text("utf-8")
    columns = vocab.read_rows(METADATA / "columns.csv", ("table", "column", "unit", "meaning"))
    return render(
        template,
        facts or FACTS,
        columns,
        vocab.languages(),
        {name: f"sha256:{name}" for name in CONFIGS} if digests else None,
    )


def front_matter(text: str) -> dict:
    return yaml.safe_load(text.split("---\n")[1])


def test_the_two_caveats_come_first():
    text = card()
    assert text.index("Labels are song-level") < text.index("Loudness is evened out") < text.index("\n## ")


def test_numbers_are_those_of_the_facts():
    text = card()
    for number in (
        "1,180 of 59 countries",
        "private 3",
        "988,925 of 988,930",
        "off_scale 5",
        "8.38",
        "-11.3 ± 2.0 LUFS",
    ):
        assert number in text


def test_figures_stand_with_their_description():
    assert r"![Bars of \[terms\]](figures/terms.png)" in card()


def test_songs_from_charts_come_with_the_counts_of_both_rules():
    text = card(FACTS | {"charts": {"exclusive_by_id": 420, "exclusive_by_recording": 418}})
    assert "418 videos by id and recording, 420 by id" in text


def test_a_synthetic_sample_says_so_in_title_and_text():
    sample = FACTS | {"source": "sample", "title": "GlobalMood (synthetic sample)"}
    text = card(sample)
    assert front_matter(text)["pretty_name"] == "GlobalMood (synthetic sample)"
    assert "**This is a synthetic sample**" in text
    assert "**This is a synthetic sample**" not in card()


def test_yaml_lists_every_config_with_its_columns_and_one_default():
    configs = front_matter(card())["configs"]
    assert [config["config_name"] for config in configs] == list(CONFIGS)
    assert [config["config_name"] for config in configs if config.get("default")] == ["all"]
    assert all(config["columns"] == list(FEATURES[config["config_name"]]) for config in configs)


def test_another_content_is_another_description():
    assert "content sha256:korean" in next(
        config["description"] for config in front_matter(card())["configs"] if config["config_name"] == "korean"
    )


def test_a_split_without_rows_is_listed_only_where_no_split_has_any():
    """`datasets` cannot prepare a split without rows beside one with rows."""

    def splits_of(facts) -> list[str]:
        config = next(c for c in front_matter(card(facts))["configs"] if c["config_name"] == "ratings")
        return [entry["split"] for entry in config["data_files"]]

    assert splits_of(FACTS) == ["train"]
    empty = copy.deepcopy(FACTS)
    for config in empty["configs"]:
        config["splits"] = {"train": 0, "test": 0}
    assert splits_of(empty) == ["train", "test"]


@pytest.mark.parametrize("hostile", ["a|b", "<script>alert(1)</script>", "line\nbreak", "[x](javascript:0)", "`code`"])
def test_terms_cannot_break_out_of_the_text(hostile):
    facts = copy.deepcopy(FACTS)
    facts["languages"][0]["terms"] = [{"term": hostile, "translation": None}]
    text = card(facts)
    assert hostile not in text
    assert len(text.splitlines()) == len(card().splitlines())


def test_the_hub_reads_the_card():
    data = DatasetCard(card()).data
    assert data.license == "other"
    assert data.task_categories == ["audio-classification"]
    assert data.language == ["ar", "en", "es", "fr", "ko"]


def test_the_repositorys_readme_has_no_configs_that_a_loading_script_would_take_for_its_own():
    matter = front_matter(card(digests=False))
    assert "configs" not in matter
    assert "dataset_info" not in matter
    assert "make dataset" in card(digests=False)
