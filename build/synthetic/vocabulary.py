"""The sample's own words, from `metadata/sample/`: terms with their moods, other tags, spelling variants, names."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from build.synthetic.moods import MOODS, Reals
from build.vocab import read_rows
from build.workspace import METADATA

SAMPLE = METADATA / "sample"


class Vocabulary(NamedTuple):
    """The words of one language; rows of `weights` (n_terms, 5) and `levels` (n_terms,) belong to `terms`.

    `translations` are empty in English; `rare` tags are fitting but seldom thought of, `unfit` ones get flagged;
    `variants` are (spelling by which people sometimes write a term, the term, why).
    """

    terms: list[str]
    translations: list[str]
    weights: Reals
    levels: Reals
    rare: list[str]
    unfit: list[str]
    variants: list[tuple[str, str, str]]


class Names(NamedTuple):
    """How songs and artists are called in one script; `{n}` in a title is the song's number in the sample."""

    countries: frozenset[str]
    titles: tuple[str, ...]
    artists: tuple[str, ...]


def vocabularies(folder: Path = SAMPLE) -> dict[str, Vocabulary]:
    """The words of every language that has rows in `terms.csv`, by language (config name), in the order of the file."""
    terms = read_rows(folder / "terms.csv", ("language", "term", "translation", "level", *MOODS))
    tags = read_rows(folder / "tags.csv", ("language", "tag", "kind"))
    variants = read_rows(folder / "variants.csv", ("language", "variant", "term", "why"))
    return {
        language: _vocabulary(
            *([row for row in rows if row["language"] == language] for rows in (terms, tags, variants))
        )
        for language in dict.fromkeys(row["language"] for row in terms)
    }


def _vocabulary(terms: list[dict[str, str]], tags: list[dict[str, str]], variants: list[dict[str, str]]) -> Vocabulary:
    return Vocabulary(
        [row["term"] for row in terms],
        [row["translation"] for row in terms],
        np.array([[float(row[mood]) for mood in MOODS] for row in terms]),
        np.array([float(row["level"]) for row in terms]),
        [row["tag"] for row in tags if row["kind"] == "rare"],
        [row["tag"] for row in tags if row["kind"] == "unfit"],
        [(row["variant"], row["term"], row["why"]) for row in variants],
    )


def names(folder: Path = SAMPLE) -> list[Names]:
    """Names by script; the one without countries is for all countries that no other one lists."""
    rows = read_rows(folder / "names.csv", ("script", "countries", "titles", "artists"))
    return [
        Names(
            frozenset(row["countries"].split("|")) - {""},
            tuple(row["titles"].split("|")),
            tuple(row["artists"].split("|")),
        )
        for row in rows
    ]
