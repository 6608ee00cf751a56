"""The stage: chains to the lexicon and the terms of every language."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from build import acts, vocab
from build.elicitation.acts import steps_by_chain
from build.elicitation.chain import LeftOut, Standing, replay
from build.elicitation.lexicon import Tag, collect, lexicon, top_terms
from build.elicitation.people import elicitors
from build.elicitation.variants import variants_of
from build.sources.columns import Mapping
from build.sources.people import pseudonyms, read_chains
from build.tables import CHAINS, DROPPED, LEXICON, TERMS, conform


def elicit(
    chains: pa.Table, source: Path | None = None, languages: Iterable[vocab.Language] | None = None
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """(LEXICON, TERMS, DROPPED) of chains (CHAINS), by the rule of `build.elicitation`.

    Variants are read from `variants/<language>.csv` below the folder `source`, or else from `metadata/variants`; the
    number of terms comes from `languages` (default: those of metadata/languages.csv), in whose order the tables are. In
    DROPPED, `row` is the row of `chains`, from 1; a tag that nobody rated has no single row, and 0. Raises InputError
    for a table of variants that cannot be used.
    """
    languages = tuple(vocab.languages() if languages is None else languages)
    ends, left_out = _ends(conform(chains, CHAINS), {language.config for language in languages})
    lexica, terms, unrated = [LEXICON.empty_table()], [TERMS.empty_table()], {}
    for language in languages:
        tags = collect(ends[language.config])
        entries = lexicon(language.config, tags, variants_of(language.config, source))
        lexica.append(entries)
        terms.append(top_terms(entries, language.n_terms))
        unrated[language.config] = [tag for tag in tags.values() if not tag.ratings]
    return pa.concat_tables(lexica), pa.concat_tables(terms), _dropped(chains, left_out, unrated)


class Elicited(NamedTuple):
    """What a file of chains gives: LEXICON, TERMS, the acts that count (CHAINS), PARTICIPANTS, and DROPPED."""

    lexicon: pa.Table
    terms: pa.Table
    chains: pa.Table
    participants: pa.Table
    dropped: pa.Table


def terms_from_chains(path: Path, mapping: Mapping | None = None) -> Elicited:
    """Everything from a file of chains alone: any song in it is known, people are numbered within the file.

    `mapping` names columns whose headers are not recognised (role -> header). Variants are those in a folder `variants`
    beside the file, or else in `metadata/variants`. Raises InputError for a file that is no table of chains.
    """
    rows = read_chains(path, mapping or {})
    songs = pa.table({"song_id": sorted({song.strip() for song in rows["song"].to_pylist()} - {""})})
    placed, unplaced = acts.clean(rows, songs, pseudonyms(rows), path.name)
    lexicon, terms, left_out = elicit(placed, path.parent / "variants")
    chains = acts_that_count(placed, left_out)
    dropped = pa.concat_tables([unplaced, acts.in_file(left_out, placed, unplaced, path.name)])
    return Elicited(lexicon, terms, chains, elicitors(chains), dropped)


def acts_that_count(chains: pa.Table, dropped: pa.Table) -> pa.Table:
    """CHAINS without the rows that `elicit` has dropped."""
    counts = np.ones(chains.num_rows + 1, bool)
    counts[dropped["row"].to_numpy()] = False
    return chains.filter(counts[1:])


def _ends(chains: pa.Table, languages: set[str]) -> tuple[dict[str, list[tuple[str, Standing]]], LeftOut]:
    steps, left_out = steps_by_chain(chains, languages)
    ends: dict[str, list[tuple[str, Standing]]] = defaultdict(list)
    for key in sorted(steps):
        state, out = replay(steps[key])
        ends[key.language] += state.shown.items()
        left_out += out
    return ends, left_out


def _dropped(chains: pa.Table, left_out: LeftOut, unrated: dict[str, list[Tag]]) -> pa.Table:
    left_out = sorted(left_out, key=lambda pair: pair[0].row)
    rows_left_out = chains.take(pa.array([act.row - 1 for act, _ in left_out], pa.int64())).to_pylist()
    rows: list[tuple[int, str, str]] = []
    for act, (place, reason) in zip(rows_left_out, left_out, strict=True):
        where = "{language} {song_id} set {chain_set} chain {chain} step {step}: {action} {tag}"
        rows.append((place.row, reason, where.format(**act)))
    for language, tags in unrated.items():
        rows += [(0, "never_rated", f"{language}: {name}") for name in sorted(tag.name for tag in tags)]
    table = [{"file": "chains", "row": row, "reason": reason, "detail": detail} for row, reason, detail in rows]
    return pa.Table.from_pylist(table, DROPPED)
