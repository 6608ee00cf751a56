"""The data card and the repository's README, rendered from one template and computed facts (pure)."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import jinja2
import yaml

from build.dataset.facts import Facts
from build.dataset.schema import yaml_features
from build.vocab import Language, Row
from globalmood import CITATION, CONFIGS, FEATURES, FILES, VERSION

COLUMN_TABLES = {  # table in metadata/columns.csv -> its title in the card, a config in which its types are found
    "song": ("Songs (`all`, the languages, `songs`)", "all"),
    "language": ("The struct of a language: lists in the order of its terms", "english"),
    "rating": ("Ratings", "ratings"),
    "terms": ("`terms`", "terms"),
    "lexicon": ("`lexicon`", "lexicon"),
    "chains": ("`chains`", "chains"),
    "participants": ("`participants`", "participants"),
}
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&])")
_BIDI_CONTROLS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def render(
    template: str,
    facts: Facts,
    columns: Sequence[Row],
    languages: Sequence[Language],
    digests: Mapping[str, str] | None,
    guide: str = "",
    paths: Mapping[str, Mapping[str, str | Sequence[str]]] = FILES,
) -> str:
    """The card of a built dataset, or the repository's README where `digests` is None.

    Parameters
    ----------
    template : jinja2 source (`metadata/card.md`)
    facts : numbers of the dataset (`build.dataset.facts`)
    columns : rows of `metadata/columns.csv`
    languages : rows of `metadata/languages.csv`
    digests : config -> digest of its content, so that caches of older content are not used for it
    guide : jinja2 source of what only the README tells
    paths : config -> split -> glob of its files, or the files
    """
    environment = jinja2.Environment(  # noqa: S701 - Markdown, where HTML escapes would be shown
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"thousands": "{:,}".format, "fixed": _fixed, "mean_sd": _mean_sd, "text": plain_text}
    front_matter = _about(facts, languages) | (_configs(facts, digests, paths) if digests is not None else {})
    return environment.from_string(template).render(
        guide=environment.from_string(guide).render(facts=facts, results=facts.get("results", {})),
        front_matter=yaml.safe_dump(front_matter, sort_keys=False, allow_unicode=True, width=120),
        facts=facts,
        columns=[_column_table(name, columns) for name in COLUMN_TABLES],
        citation=CITATION,
        repository=digests is None,
    )


def _about(facts: Facts, languages: Sequence[Language]) -> dict[str, Any]:
    return {
        "pretty_name": facts["title"],
        "language": sorted({language.tag.split("-")[0] for language in languages}),
        "language_details": ", ".join(language.tag for language in languages),
        "license": "other",
        "license_name": "annotations-mit-audio-of-its-owners",
        "license_link": "https://github.com/harin-git/GlobalMood",
        "annotations_creators": ["machine-generated" if facts["source"] == "sample" else "crowdsourced"],
        "multilinguality": ["multilingual"],
        "size_categories": [next((name for limit, name in SIZES if facts["songs"]["all"] < limit), "n>1M")],
        "source_datasets": ["original"],
        "task_categories": ["audio-classification"],
        "tags": ["audio", "music", "music-emotion-recognition", "cross-cultural", "datasets", "mlcroissant"],
    }


def _configs(
    facts: Facts, digests: Mapping[str, str], paths: Mapping[str, Mapping[str, str | Sequence[str]]]
) -> dict[str, Any]:
    configs, info = [], []
    rows = {config["name"]: config["splits"] for config in facts["configs"]}
    for name in CONFIGS:
        config: dict[str, Any] = {"config_name": name}
        if name == "all":
            config["default"] = True
        config |= {"version": VERSION, "description": f"{CONFIGS[name]}; content {digests[name]}"}
        # `datasets` cannot prepare a split without rows, so one is listed only where no split of the config has any
        listed = [split for split in FILES[name] if rows[name][split]] or list(FILES[name])
        config["data_files"] = [{"split": split, "path": paths[name][split]} for split in listed]
        configs.append(config | {"columns": list(FEATURES[name])})
        # num_bytes is not checked, but without it `datasets` 3.6 passes the whole list over
        splits = [{"name": split, "num_bytes": 0, "num_examples": rows[name][split]} for split in listed]
        info.append({"config_name": name, "features": yaml_features(FEATURES[name]), "splits": splits})
    return {"configs": configs, "dataset_info": info}


def _column_table(name: str, columns: Sequence[Row]) -> dict[str, Any]:
    title, config = COLUMN_TABLES[name]
    features: Any = FEATURES[config] if name != "language" else FEATURES[config][config]
    described = [row | {"type": type_name(features[row["column"]])} for row in columns if row["table"] == name]
    return {"title": title, "columns": described}


def type_name(feature: Any) -> str:
    """How a reader of the card calls a type: `string`, `list of 20 float32`, `audio at 48000 Hz`."""
    if hasattr(feature, "feature"):
        length = f"{feature.length} " if feature.length >= 0 else ""
        return f"list of {length}{feature.feature.dtype}"
    if hasattr(feature, "sampling_rate"):
        return f"audio at {feature.sampling_rate} Hz" if feature.sampling_rate else "audio"
    return str(feature.dtype)


def plain_text(text: str) -> str:
    """Foreign text as Markdown that shows it and does nothing else: no markup, no line breaks, no bidi overrides."""
    visible = "".join(" " if unicodedata.category(sign) == "Cc" or sign in _BIDI_CONTROLS else sign for sign in text)
    return _MARKUP.sub(r"\\\1", visible)


def _fixed(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _mean_sd(pair: Sequence[float]) -> str:
    return f"{pair[0]:.1f} ± {pair[1]:.1f}"
