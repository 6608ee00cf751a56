"""The tables of the embedded sample, drawn without its sound."""

import csv
from pathlib import Path

from build import vocab
from build.synthetic.source import Source, draw_source
from build.synthetic.vocabulary import names, vocabularies


def draw_sample(folder: Path) -> Source:
    """Write the CSV files of a sample into `folder`; its truth is in what is returned."""
    countries = [country for country in vocab.countries().values() if country.in_globalmood]
    source = draw_source(0, countries, vocab.languages(), vocabularies(), names(), ["flac"])
    for name, rows in source.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    return source
