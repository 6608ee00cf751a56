"""The repository's README: the card's template, with what was measured instead of what was built."""

import json
from pathlib import Path
from typing import Any

from build import vocab
from build.dataset.card import render
from build.dataset.facts import Facts
from build.workspace import METADATA, REPOSITORY
from globalmood import CONFIGS

RESULTS = REPOSITORY / "tests" / "bench" / "results"
FACTS: Facts = {  # what the card says of a dataset, where the README speaks of all that can be built
    "title": "GlobalMood",
    "source": "repository",
    "songs": {"all": 1_180},  # section 3.2 of the paper
    "loudness": None,
    "languages": [],
    "configs": [{"name": name, "rows": rows} for name, rows in CONFIGS.items()],
}


def readme() -> str:
    """README.md as it should be, from `metadata/` and the results of the benchmarks."""
    template = (METADATA / "card.md").read_text(encoding="utf-8")
    columns = vocab.read_rows(METADATA / "columns.csv", ("table", "column", "unit", "meaning"))
    guide = (METADATA / "guide.md").read_text(encoding="utf-8")
    return render(template, FACTS | {"results": results()}, columns, vocab.languages(), None, guide)


def results(folder: Path = RESULTS) -> dict[str, Any]:
    """Benchmark -> its committed result."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
