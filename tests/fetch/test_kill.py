"""A run that is killed again and again ends as one that is left alone."""

import json
import random
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from build.fetch.journal import Journal
from build.fetch.run import run
from build.fetch.states import standing
from build.workspace import REPOSITORY, Workspace
from tests.fetch.clock import FastClock
from tests.fetch.driver import OPTIONS
from tests.fetch.site import site
from tests.fetch.songlist import song_table

SONGS, KILLS = 200, 5
FAILURES = {  # what the server does, and the status that it must end with
    "html": "not_audio",
    "empty": "empty",
    "truncated": "truncated",
    "forbidden": "forbidden",
    "missing": "not_found",
    "failing": "server_error",
    "loop": "bad_redirect",
    "to-private": "private_address",
    "endless": "too_large",
}


def paths() -> dict[str, str]:
    """Every fifth song fails, each kind four times, until the kinds are used up."""
    kinds = {5 * n: kind for n, kind in enumerate(list(FAILURES) * 4)}
    return {f"song{n:03d}": f"{kinds.get(n, 'whole')}/{n}.wav" for n in range(SONGS)}


def standings(work: Path) -> dict[str, tuple[str, str, str | None]]:
    with closing(Journal(Workspace(work).journal)) as journal:
        attempts = journal.attempts()
    found = [standing(tried) for tried in attempts.values()]
    return {one.last.song_id: (one.state, one.status, one.last.sha256) for one in found if one.last}


def killed_at(hits: int, server, work: Path, listed: Path) -> None:
    """Start a run and kill it once the server has been asked `hits` times in all."""
    process = subprocess.Popen([sys.executable, "-m", "tests.fetch.driver", work, listed], cwd=REPOSITORY)
    server.wait_for(hits)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run ended before it could be killed"


def test_killed_five_times_and_continued_a_run_ends_as_an_undisturbed_one(tmp_path):
    draw = random.Random(7)  # noqa: S311 - any moments will do
    with site() as server:
        urls = {song_id: server.url(path) for song_id, path in paths().items()}
        (listed := tmp_path / "list.json").write_text(json.dumps(urls))
        for _ in range(KILLS):
            before = server.hits.copy()
            had = {song_id for song_id, (state, _, _) in (standings(tmp_path / "work")).items() if state == "had"}
            killed_at(server.hits.total() + draw.randint(1, 50), server, tmp_path / "work", listed)
            assert not [
                song_id for song_id in had if server.hits[f"/{paths()[song_id]}"] > before[f"/{paths()[song_id]}"]
            ]
        subprocess.run(
            [sys.executable, "-m", "tests.fetch.driver", tmp_path / "work", listed], cwd=REPOSITORY, check=True
        )
        hits = server.hits.copy()
        run(song_table(urls), None, Workspace(tmp_path / "other"), OPTIONS, FastClock())
    ended = standings(tmp_path / "work")
    assert {song_id: status for song_id, (_, status, _) in ended.items()} == {
        song_id: FAILURES.get(path.split("/")[0], "ok") for song_id, path in paths().items()
    }
    assert ended == standings(tmp_path / "other")
    good = [f"/{path}" for path in paths().values() if path.startswith("whole/")]
    assert sum(hits[path] - 1 for path in good) <= KILLS * OPTIONS.connections
    assert max(hits[path] for path in good) <= 1 + KILLS
    files = {path.name for path in Workspace(tmp_path / "work").audio.iterdir()}
    assert files == {path.name for path in Workspace(tmp_path / "other").audio.iterdir()}
    assert len(files) == len(good)
