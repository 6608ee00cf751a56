"""The stages in their order, over a workspace: each reads tables, writes tables, and can be run alone.

A stage is done again whenever it is asked for; what is slow inside one (tracks fetched, excerpts cut) is kept in the
workspace under names that tell what it depends on, so a run that was killed goes on where it was.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from build import acts, cluster, lock, made, ratings, split, storage, tables, vocab
from build.analysis.raters import as_dropped, check_raters, without_raters
from build.audio import excerpt_songs
from build.charts import chart_history, describe, songs_from_charts, stage_one
from build.dataset.facts import Facts
from build.dataset.store import require_ours
from build.dataset.swap import mend, require_replaceable
from build.dataset.write import Tables, write_dataset
from build.elicitation import acts_that_count, elicit, elicitors
from build.fetch import fetch_songs
from build.files import read_table, write_table
from build.options import BuildOptions
from build.sources import folder, people, record
from build.sources.origin import Source, open_source
from build.sources.songs import read_songs
from build.sources.terms import read_terms
from build.workers import InProcess
from build.workspace import Workspace

Say = Callable[[str], None]
STAGE_OF = {  # table in the workspace -> the verb that makes it
    "songs": "songs",
    "splits": "songs",
    "chart_counts": "songs",
    "fetched": "fetch",
    "clips": "excerpt",
    "terms": "terms",
    "lexicon": "terms",
    "chains": "terms",
    "ratings": "ratings",
    "dropped": "ratings",
    "cells": "ratings",
    "participants": "ratings",
}


class Build:
    """One build: its options, workspace and source, and a method a stage. `say` tells the user what came out."""

    def __init__(self, options: BuildOptions, workspace: Workspace, say: Say) -> None:
        self.options, self.workspace, self.say = options, workspace, say
        if options.dask:
            cluster.check(options.dask)
            # what relative paths start from where workers run is not known
            self.workspace = Workspace(workspace.root.absolute(), workspace.store)

    @cached_property
    def source(self) -> Source:
        """The source, made or downloaded when it is first needed."""
        return open_source(self.options.source, self.workspace, self.options.seed, self.options.workers)

    def run(self) -> Facts:
        """Every stage, from the source to the built folder.

        Raises RunError where another build is at work there, or where the source changes on the way.
        """
        with lock.work_folder(self.workspace.root), self.place():
            self.workspace.tidy()
            for line in record.changes_since(self._record, self.source.root, self._inputs):
                self.say(f"source, since the last build here: {line}")
            facts = self._run()
            record.keep(self._record, self.source.root, self._inputs)
            return facts

    def _run(self) -> Facts:
        self.songs()
        if self.options.audio:
            self.fetch()
            self.excerpt()
        else:
            with self._noting("excerpt", audio=False, clip={}):
                self._write("clips", tables.CLIPS.empty_table())
        self.terms()
        self.ratings()
        return self.shards()

    def songs(self) -> None:
        """Read the song list or draw it from charts, and say where each song belongs."""
        charts = self.options.charts
        read = {} if charts else self._reads()
        with self._noting("songs", seed=self.options.seed, limit=self.options.limit, **read):
            songs = self._from_charts(charts) if charts else self._from_list()
            splits = split.assign(songs)
            songs = songs.slice(0, self.options.limit)
            self._write("songs", songs)
            self._write("splits", splits.filter(pc.is_in(splits["song_id"], value_set=songs["song_id"])))
        self.say(f"songs: {songs.num_rows} of {len(pc.unique(songs['country']))} countries")

    def fetch(self) -> None:
        """Fetch the tracks that are not in the cache."""
        fetched = fetch_songs(self._read("songs"), self.source.root, self.workspace, self.options.fetch)
        self._write("fetched", fetched)
        self.say(f"fetch: {_counted(fetched, 'status')}")

    def excerpt(self) -> None:
        """Cut the excerpts that are not in the cache."""
        chosen = self.options.clip
        with self._noting("excerpt", audio=True, clip=asdict(chosen)):
            with cluster.workers_at(self.options.dask, self.options.workers) as workers:
                songs, fetched = self._read("songs"), self._read("fetched")
                clips = excerpt_songs(songs, fetched, chosen, self.workspace.clips, workers, self._windows())
            self._write("clips", clips)
        self.say(f"excerpt: {_counted(clips, 'status')}")

    def terms(self) -> None:
        """Replay the chains; rated terms are those that the source lists, or else the best of the chains."""
        with self._noting("terms", **self._reads()):
            self._terms()

    def _terms(self) -> None:
        chains, dropped = tables.CHAINS.empty_table(), tables.DROPPED.empty_table()
        if self._acts is not None:
            chains, dropped = acts.clean(self._acts, self._read("songs"), self._people, self._file(folder.CHAINS))
        lexicon, elicited, left_out = elicit(chains, self.source.root)
        listed = read_terms(self.source.root, self.options.mapping)
        unlisted = elicited.filter(pc.invert(pc.is_in(elicited["language"], value_set=pc.unique(listed["language"]))))
        terms = pa.concat_tables([listed, unlisted])
        self._write("chains", acts_that_count(chains, left_out))
        self._write("lexicon", lexicon)
        self._write("terms", terms)
        left_out = acts.in_file(left_out, chains, dropped, self._file(folder.CHAINS))
        self._write("dropped_acts", pa.concat_tables([dropped, left_out]))
        self.say(f"chains: {chains.num_rows} acts kept; {self._told(dropped, 'dropped_acts')}")
        told = self._told(left_out, "dropped_acts")
        self.say(f"terms: {terms.num_rows} rated, {lexicon.num_rows} elicited; {told}")

    def ratings(self) -> None:
        """Clean the ratings and average them."""
        with self._noting("ratings", exclude_raters=list(self.options.exclude_raters), **self._reads()):
            self._ratings()

    def _ratings(self) -> None:
        kept, dropped = tables.RATINGS.empty_table(), tables.DROPPED.empty_table()
        file = self._file(folder.RATINGS)
        if self._answers is None:
            self.say(f"ratings: the source has no {file}, so means are null and counts are 0")
        else:
            songs, terms = self._read("songs"), self._read("terms")
            kept, dropped = ratings.clean(self._answers, songs, terms, self._people, file)
        cells, kept = ratings.summarise(kept), tables.conform(kept, tables.RATINGS)
        raters = check_raters(kept)
        if self.options.exclude_raters:
            kept, excluded = without_raters(kept, raters, self.options.exclude_raters)
            self.say(f"raters left out by their checks took along {excluded.num_rows} ratings")
            cells, dropped = ratings.summarise(kept), pa.concat_tables([dropped, as_dropped(excluded, file)])
        if self._answers is not None:
            self.say(f"ratings: {kept.num_rows} kept; {self._told(dropped, 'dropped')}")
        self._write("ratings", kept)
        self._write("dropped", dropped)
        self._write("cells", cells)
        self._write("participants", pa.concat_tables([elicitors(self._read("chains")), raters]))

    def shards(self) -> Facts:
        """Put the built folder together and in place."""
        notes = made.whole_notes(self.workspace.tables)
        made.require_unchanged(notes, self.source.inputs())
        parts = Tables(**{name: self._read(name) for name in Tables.__dataclass_fields__})
        with cluster.cluster(self.options.dask) if self.options.dask else nullcontext(InProcess()) as workers:
            facts = write_dataset(self.options.out, parts, self._origin(notes), workers)
        self.say(f"{self.options.out}: {facts['songs']['all']} songs, {facts['songs']['with_audio']} with audio")
        return facts

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold the place of the built folder, and see that it may be replaced, before hours of work."""
        out = self.options.out
        if storage.is_remote(out):
            require_ours(out)
            yield
            return
        with lock.built_folder(out):
            mend(out)
            require_replaceable(out)
            yield

    def _from_list(self) -> pa.Table:
        songs = read_songs(folder.find_songs(self.source.root), self.options.mapping)
        self._write("chart_counts", pa.table({}))
        charts = self.source.root / folder.CHARTS
        return chart_history(songs, charts) if charts.is_dir() else songs

    def _from_charts(self, charts: Path) -> pa.Table:
        options = self.options
        found = songs_from_charts(charts, options.per_country, options.seed, options.exclusive)
        for line in describe(found):
            self.say(line)
        self._write("chart_counts", found.selection.counts)
        self._write("song_pool", found.selection.pool)
        self._write("dropped_songs", found.dropped)
        countries = [language.country for language in vocab.languages()]
        self._write("stage_one", stage_one(found.selection, countries, options.seed))
        return found.selection.songs

    @cached_property
    def _inputs(self) -> dict[str, str]:
        """The hashes that the source's tables had when they were first asked for."""
        return self.source.inputs()

    @property
    def _record(self) -> Path:
        return self.workspace.tables / "inputs.json"

    def _windows(self) -> pa.Table | None:
        """Windows of an earlier build that are to be cut again: song_id, start_s."""
        return None

    @cached_property
    def _answers(self) -> pa.Table | None:
        path = folder.find(self.source.root, *folder.RATINGS)
        return people.read_ratings(path, self.options.mapping) if path else None

    @cached_property
    def _acts(self) -> pa.Table | None:
        path = folder.find(self.source.root, *folder.CHAINS)
        return people.read_chains(path, self.options.mapping) if path else None

    def _file(self, names: tuple[str, ...]) -> str:
        """Which of `names` the file has that is found."""
        path = folder.find(self.source.root, *names)
        return path.name if path else names[0]

    @cached_property
    def _people(self) -> people.Pseudonyms:
        """One numbering for those who rated and those who elicited terms."""
        return people.pseudonyms(*(table for table in (self._answers, self._acts) if table is not None))

    def _origin(self, notes: made.Notes) -> dict[str, Any]:
        """What the manifest says of where the content comes from, free of anything that differs between machines."""
        options = {"seed": notes["songs"]["seed"], "limit": notes["songs"]["limit"], "audio": notes["excerpt"]["audio"]}
        options |= {"exclude_raters": notes["ratings"]["exclude_raters"], **notes["excerpt"]["clip"]}
        counts = self._read("chart_counts")
        rules = [name for name in counts.column_names if name.startswith("exclusive_by_")]
        charts = {name: pc.sum(counts[name]).as_py() for name in rules}  # none where songs come from a list
        inputs = notes["ratings"]["inputs"]
        return {"source": self.source.name, "options": options, "inputs": inputs, "charts": charts}

    def _noting(self, stage: str, **told: Any) -> AbstractContextManager[None]:
        return made.noting(self.workspace.tables, stage, **told)

    def _reads(self) -> dict[str, Any]:
        """What is noted of a stage that reads the source."""
        return {"source": made.address(self.options.source), "inputs": self._inputs}

    def _told(self, dropped: pa.Table, name: str) -> str:
        """What a user is told of dropped rows: how many for which reason, and the table that has each."""
        where = f" (each in {self._path(name)})" if dropped.num_rows else ""
        return f"dropped: {_counted(dropped, 'reason')}{where}"

    def _write(self, name: str, table: pa.Table) -> None:
        write_table(self._path(name), table)
        pa.default_memory_pool().release_unused()  # what the stage has freed, to the operating system

    def _read(self, name: str) -> pa.Table:
        return read_table(self._path(name), STAGE_OF[name])

    def _path(self, name: str) -> Path:
        return self.workspace.tables / f"{name}.parquet"


def _counted(table: pa.Table, column: str) -> str:
    """`ok 100, too_short 2`: the values of a column with their numbers, or `none`."""
    counts = Counter(table[column].to_pylist())
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
