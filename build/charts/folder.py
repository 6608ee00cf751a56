"""The stage: a folder of weekly chart files to each country's own songs, and what people are told of it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from build import vocab
from build.charts.files import FILES, read_charts
from build.charts.names import coverage, expected_files
from build.charts.rows import CHART_ROWS, best_ranks, usable_rows
from build.charts.select import PER_COUNTRY, Selection, select_songs
from build.charts.songs import charted
from build.errors import InputError
from build.tables import DROPPED, SONGS

_SHOWN = 5  # refused files that are named before "and N more"


@dataclass(frozen=True)
class FromCharts:
    """A selection, and what it rests on.

    `dropped` (DROPPED) holds every refused file (row 0), unusable line and video that charts elsewhere; `files` (FILES)
    are those that were read; `expected` is the list of `expected_files`; `rule` is the rule of exclusiveness, and
    `rows` the number of usable chart rows.
    """

    selection: Selection
    dropped: pa.Table
    files: pa.Table
    expected: pa.Table
    rule: str
    rows: int


def songs_from_charts(
    folder: Path, per_country: int = PER_COUNTRY, seed: int = 0, exclusive: str = "recording"
) -> FromCharts:
    """Draw each country's songs from the weekly chart files below `folder` (`select_songs` says how).

    Raises InputError where the folder holds no chart; single files that are none are refused by name in `dropped`.
    """
    rows, unusable, files = chart_rows(folder)
    if not files.num_rows:
        refused = "; ".join(_refusals(unusable)) or "it is empty"
        raise InputError(f"{folder} holds no weekly chart file that can be read: {refused}")
    selection = select_songs(rows, per_country, seed, exclusive)
    dropped = pa.concat_tables([unusable, selection.dropped])
    return FromCharts(selection, dropped, files, expected_charts(files), exclusive, rows.num_rows)


def chart_rows(folder: Path) -> tuple[pa.Table, pa.Table, pa.Table]:
    """(CHART_ROWS, DROPPED, FILES) of the chart files below `folder`: each video once in a country and week."""
    rows, dropped, files = [CHART_ROWS.empty_table()], [DROPPED.empty_table()], [FILES.empty_table()]
    for charts in read_charts(folder, vocab.countries()):
        usable, unusable = usable_rows(charts.lines)
        rows.append(usable)
        dropped += [charts.dropped, unusable]
        files.append(charts.files)
    joined = pa.concat_tables(rows).combine_chunks()
    rows.clear()
    pa.default_memory_pool().release_unused()  # joining takes twice the memory of the table
    kept, twice = best_ranks(joined)
    return kept, pa.concat_tables([*dropped, twice]), pa.concat_tables(files)


def chart_history(songs: pa.Table, folder: Path) -> pa.Table:
    """SONGS with the first week, peak rank and weeks on chart that the weekly chart files below `folder` give.

    A song that is in none of them keeps what it has.
    """
    rows, _, _ = chart_rows(folder)
    columns = ["song_id", "first_chart_week", "peak_rank", "weeks_on_chart"]
    videos = charted(rows.filter(pc.is_in(rows["song_id"].cast(pa.string()), songs["song_id"]))).videos
    history = {row["song_id"]: row for row in videos.select(columns).to_pylist()}
    joined = [{**song, **history.get(song["song_id"], {})} for song in songs.to_pylist()]
    return pa.Table.from_pylist(joined, SONGS)


def expected_charts(files: pa.Table | None = None) -> pa.Table:
    """`expected_files` of GlobalMood's own countries (metadata/countries.csv)."""
    return expected_files([code for code, country in vocab.countries().items() if country.in_globalmood], files)


def charts_here(folder: Path | None) -> pa.Table:
    """`expected_charts`, with those marked that are below `folder` and can be read."""
    return expected_charts(None if folder is None else chart_rows(folder)[2])


def describe(found: FromCharts) -> Iterator[str]:
    """Lines for people: what was read, refused and dropped, how many songs there are by each rule, what is missing."""
    counts = found.selection.counts
    total = {name: pc.sum(counts[name]).as_py() or 0 for name in counts.column_names[1:]}
    yield f"charts: {found.files.num_rows} files of {counts.num_rows} countries, {found.rows} usable rows"
    yield (
        f"exclusive to one country: {total['exclusive_by_id']} videos by id, "
        f"{total['exclusive_by_recording']} by id and recording; the rule is {found.rule}"
    )
    yield f"songs: {total['drawn']} drawn from a pool of {total['pool']}"
    short = [f"{row['country']} {row['drawn']}" for row in counts.to_pylist() if row["short"]]
    if short:
        yield f"short of songs, and not filled from elsewhere: {', '.join(short)}"
    reasons = Counter(found.dropped["reason"].to_pylist())
    yield f"left out: {', '.join(f'{reason} {number}' for reason, number in sorted(reasons.items())) or 'nothing'}"
    refused = _refusals(found.dropped)
    if refused:
        yield f"refused files: {'; '.join(refused)}"
    yield from _coverage(found)


def _refusals(dropped: pa.Table) -> list[str]:
    refused = dropped.filter(pc.equal(dropped["row"], 0))
    told = [f"{row['file']}: {row['reason']} ({row['detail']})" for row in refused.slice(0, _SHOWN).to_pylist()]
    return told + ([f"and {refused.num_rows - _SHOWN} more"] if refused.num_rows > _SHOWN else [])


def _coverage(found: FromCharts) -> Iterator[str]:
    weeks = coverage(found.expected).to_pylist()
    here, expected = sum(row["here"] for row in weeks), sum(row["expected"] for row in weeks)
    yield f"coverage: {here} of the {expected} charts of a full rebuild are here"
    if here < expected:
        yield "a chart that is missing makes songs of other countries look exclusive; songs --expect says where it is"
    some = [f"{row['country']} {row['here']}/{row['expected']}" for row in weeks if 0 < row["here"] < row["expected"]]
    none = [row["country"] for row in weeks if not row["here"]]
    if some:
        yield f"countries with gaps: {', '.join(some)}"
    if none:
        yield f"countries without any chart: {' '.join(none)}"
