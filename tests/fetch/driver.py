"""Runs `fetch` over a list in a file, for a process that is there to be killed: WORK LIST.json."""

import json
import sys
from pathlib import Path

from build.fetch.options import FetchOptions
from build.fetch.run import run
from build.workspace import Workspace
from tests.fetch.clock import FastClock
from tests.fetch.songlist import song_table

OPTIONS = FetchOptions(max_bytes=2_000_000)

if __name__ == "__main__":
    work, listed = map(Path, sys.argv[1:])
    run(song_table(json.loads(listed.read_text())), None, Workspace(work), OPTIONS, FastClock())
