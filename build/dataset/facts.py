"""The numbers of a built dataset, from which its card is rendered: nothing in a card is typed."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from build import vocab
from globalmood import CONFIGS

TITLES = {"sample": "GlobalMood (synthetic sample)"}
Facts = dict[str, Any]


def song_facts(rows: pa.Table) -> Facts:
    """Counts of songs by split and status, of `build.dataset.rows.song_rows`."""
    split, status = Counter(rows["split"].to_pylist()), Counter(rows["status"].to_pylist())
    return {
        "all": rows.num_rows,
        "train": split["train"],
        "test": split["test"],
        "countries": len(pc.unique(rows["country"])),
        "with_audio": rows.num_rows - rows["clip"].null_count,
        "withheld": rows["clip"].null_count - rows["audio_sha256"].null_count,
        "status": dict(sorted(status.items())),
    }


def loudness_facts(rows: pa.Table) -> Facts | None:
    """Policy, and mean and standard deviation of loudness before and after; None where no song has audio."""
    heard = rows.filter(pc.is_valid(rows["audio_sha256"]))
    if not heard.num_rows:
        return None
    policies = sorted(set(heard["loudness_policy"].to_pylist()))
    return {
        "policy": "/".join(policies),
        "in_lufs": _mean_sd(heard["loudness_in_lufs"]),
        "out_lufs": _mean_sd(heard["loudness_out_lufs"]),
    }


def rating_facts(ratings: pa.Table, dropped: pa.Table) -> Facts:
    """How many ratings were read, kept and dropped, and why."""
    reasons = Counter(dropped["reason"].to_pylist())
    return {
        "read": ratings.num_rows + dropped.num_rows,
        "kept": ratings.num_rows,
        "dropped": dict(sorted(reasons.items())),
    }


def language_facts(ratings: pa.Table, cells: pa.Table, terms: pa.Table) -> list[Facts]:
    """For each language its raters, ratings, mean number of raters a rated song and term, and terms in order."""
    facts = []
    for language in vocab.languages():
        own = {name: _of(table, language.config) for name, table in (("r", ratings), ("c", cells), ("t", terms))}
        facts.append(
            {
                "config": language.config,
                "tag": language.tag,
                "name": language.name,
                "population": language.population,
                "n_terms": language.n_terms,
                "raters": len(pc.unique(own["r"]["participant"])),
                "ratings": own["r"].num_rows,
                "mean_count": pc.mean(own["c"]["count"]).as_py(),
                "terms": own["t"].sort_by("rank").select(["term", "translation"]).to_pylist(),
            }
        )
    return facts


def config_facts(counts: Mapping[str, Mapping[str, int]]) -> list[Facts]:
    """Name, meaning of a row, and rows a split of every config; `counts` is config -> split -> rows."""
    return [{"name": name, "rows": rows, "splits": dict(counts[name])} for name, rows in CONFIGS.items()]


def title(source: str) -> str:
    """The dataset's name, which says so where its content is made up."""
    return TITLES.get(source, "GlobalMood")


def _of(table: pa.Table, language: str) -> pa.Table:
    return table.filter(pc.equal(table["language"], language))


def _mean_sd(column: pa.ChunkedArray) -> list[float]:
    values = column.to_numpy()
    return [float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0]
