"""The figures of the data card, from the tables that a build has in hand before its folder is in place."""

import pyarrow as pa

from build import vocab
from build.analysis.concepts import concepts
from build.dataset.facts import title
from build.report.built import Built
from build.report.findings import find
from build.report.fonts import fonts_for
from build.report.plates import Plate, card_plates, drawn_texts


def card_figures(
    source: str, version: str, songs: pa.Table, terms: pa.Table, ratings: pa.Table, cells: pa.Table
) -> list[Plate]:
    """The main figures as PNG with their descriptions; fewer where there are no ratings or terms.

    `songs` has the published song columns and `split` (`build.dataset.rows.song_rows`); the rest as in `build.tables`.
    """
    languages = vocab.languages()
    built = Built(
        title=title(source),
        source=source,
        version=version,
        names={language.config: language.name for language in languages},
        tags={language.config: language.tag for language in languages},
        songs=songs,
        terms=terms,
        ratings=ratings,
        cells=cells,
    )
    return card_plates(built, find(built, concepts()), fonts_for(drawn_texts(built)))
