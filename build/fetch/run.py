"""The loop."""

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa

from build.fetch.download import Doer
from build.fetch.journal import Attempt, Journal
from build.fetch.local import serving
from build.fetch.options import FetchOptions
from build.fetch.urls import target_of
from build.tables import FETCHED, conform
from build.workspace import Workspace


def run(songs, source_root, workspace, options):
    """First form."""
    import threading, queue, time

    journal = Journal(workspace.journal)
    targets = [target_of(s, u) for s, u in zip(songs["song_id"].to_pylist(), songs["url"].to_pylist())]
    had = journal.attempts()
    todo = [t for t in targets if t.key not in had]
    local = threading.local()
    doers = queue.Queue()
    for n in range(options.workers):
        doers.put(Doer(options, workspace.audio, workspace.audio / ".partial" / str(n)))
    with serving(source_root) as base, ThreadPoolExecutor(options.workers) as pool:

        def one(t):
            d = doers.get()
            try:
                return d.fetch(t, t.url if t.site else base + t.url)
            finally:
                doers.put(d)

        for t, o in zip(todo, pool.map(one, todo)):
            journal.add(
                Attempt(
                    t.key,
                    t.song_id,
                    time.time(),
                    o.status,
                    message=o.message,
                    path=str(o.path) if o.path else None,
                    sha256=o.sha256,
                )
            )
    rows = journal.attempts()
    out = []
    for t in sorted(targets, key=lambda t: t.song_id):
        a = rows[t.key][-1]
        out.append(dict(song_id=t.song_id, status=a.status, message=a.message, path=a.path, sha256=a.sha256))
    return conform(pa.Table.from_pylist(out, schema=FETCHED), FETCHED)
