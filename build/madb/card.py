"""MADB's data card, from its template and computed facts (pure)."""

from collections.abc import Mapping, Sequence
from typing import Any

import jinja2
import yaml

from build.dataset.card import type_name
from build.dataset.schema import yaml_features
from build.madb.contract import CITATION, CONFIGS, DIMENSIONS, FEATURES, FILES, VERSION
from build.madb.statistics import Facts
from build.vocab import Row

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
TITLE = "MADB: music aesthetics"


def render(template: str, facts: Facts, columns: Sequence[Row], digests: Mapping[str, str]) -> str:
    """The card.

    Parameters
    ----------
    template : jinja2 source (`metadata/madb/card.md`)
    facts : numbers of the dataset (`build.madb.write.facts_of`)
    columns : rows of `metadata/madb/columns.csv`
    digests : config -> digest of its content; a config that is not in it has no rows, and no place in the card
    """
    environment = jinja2.Environment(  # noqa: S701 - Markdown, where HTML escapes would be shown
        undefined=jinja2.StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"thousands": "{:,}".format, "two": _rounded(2), "three": _rounded(3)}
    front_matter = _about(facts) | _configs(facts, digests)
    return environment.from_string(template).render(
        **facts,
        title=TITLE,
        front_matter=yaml.safe_dump(front_matter, sort_keys=False, allow_unicode=True, width=120),
        dimensions=DIMENSIONS,
        columns=[{"config": config, "columns": _described(config, columns)} for config in digests],
        citation=CITATION,
    )


def _about(facts: Facts) -> dict[str, Any]:
    return {
        "pretty_name": TITLE,
        "language": ["en", "zh"],
        "license": "cc-by-nc-4.0",
        "annotations_creators": ["expert-generated"],
        "size_categories": [next((name for limit, name in SIZES if facts["tracks"]["n"] < limit), "n>100K")],
        "source_datasets": ["original"],
        "task_categories": ["audio-classification"],
        "tags": ["audio", "music", "aesthetics", "regression", "datasets"],
    }


def _configs(facts: Facts, digests: Mapping[str, str]) -> dict[str, Any]:
    configs, info = [], []
    rows = {config["name"]: config["splits"] for config in facts["configs"]}
    for name, digest in digests.items():
        config: dict[str, Any] = {"config_name": name} | ({"default": True} if name == "scores" else {})
        config |= {"version": VERSION, "description": f"{CONFIGS[name]}; content {digest}"}
        listed = [split for split in FILES[name] if rows[name][split]]  # a split without rows cannot be prepared
        config["data_files"] = [{"split": split, "path": FILES[name][split]} for split in listed]
        configs.append(config)
        # num_bytes is not checked, but without it `datasets` 3.6 passes the whole list over
        splits = [{"name": split, "num_bytes": 0, "num_examples": rows[name][split]} for split in listed]
        info.append({"config_name": name, "features": yaml_features(FEATURES[name]), "splits": splits})
    return {"configs": configs, "dataset_info": info}


def _described(config: str, columns: Sequence[Row]) -> list[dict[str, Any]]:
    features = FEATURES[config]
    return [row | {"type": type_name(features[row["column"]])} for row in columns if row["table"] == config]


def _rounded(digits: int) -> Any:
    return lambda value: "" if value is None else f"{value:.{digits}f}"
