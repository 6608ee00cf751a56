"""Builds of 1,000, 10,000 and 100,000 songs: what a song costs in time, memory, open files and disk.

    python -m tests.bench.scale [--sizes N ...] [--result RESULT.json]

Every stage runs as it does for users, in processes that are watched from outside; of the excerpts only decoding and
encoding are left out: one small payload of 15 s stands in for all. The tracks are in the journal already, so that
fetching surveys them and asks for none. Time is judged by CPU seconds, which a busy machine changes least. Looks for
room first, gives up after a time, and exits with 1 where a limit is missed.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np
import psutil

from build import vocab
from build.audio import clip, flac
from build.audio.excerpt import N_SAMPLES
from build.fetch.journal import Attempt, Journal
from build.fetch.urls import identity
from build.files import sha256_of, write_bytes
from build.options import BuildOptions
from build.pipeline import Build
from build.workspace import Workspace

RESULT = Path(__file__).parent / "results" / "scale.json"
SIZES = [1_000, 10_000, 100_000]
WORKERS = 2
TRACK = "track.flac"
HALF_PERIOD = 8_192  # samples of a square wave, a multiple of FLAC's blocks, which then hold next to nothing
DISK_A_SONG = 20_000  # bytes, to look for before a build: payload and mark in blocks of 4 kB, journal, shards twice
MOST_DISK = 4_000_000_000
MOST_S = 3_600.0  # of one build
GLANCE_S = 0.5
LIMITS = {"marginal CPU a song": 1.3, "memory": 1.2}  # of the last step of the sizes, against the step before it


def payload() -> bytes:
    """A FLAC file of 15 s that is loud enough to be measured and takes some kB."""
    wave = np.where(np.arange(N_SAMPLES) // HALF_PERIOD % 2, 0.25, -0.25).astype(np.float32)
    return flac.encode(np.stack([wave, wave]))


def prepare(folder: Path, n_songs: int) -> None:
    """A source of `n_songs`, and the journal of a run that has had their tracks: all of them one small file."""
    source, workspace = folder / "source", Workspace(folder / "work")
    write_bytes(source / TRACK, payload())
    write_bytes(workspace.audio / TRACK, payload())
    digest, countries = sha256_of(source / TRACK), sorted(vocab.countries())
    ids = [f"song-{number:06d}" for number in range(n_songs)]
    with open(source / "songs.csv", "w", encoding="utf-8") as songs:
        songs.write("videoID,iso2,country,song,artist,url\n")
        for number, song_id in enumerate(ids):
            songs.write(f"{song_id},{countries[number % len(countries)]},,Song {number},Artist {number // 2},{TRACK}\n")
    with closing(Journal(workspace.journal)) as journal:
        journal._connection.execute("BEGIN")  # all at once: a preparation need not outlive a kill
        for number, song_id in enumerate(ids):
            key = identity(song_id, TRACK)
            journal.add(Attempt(key, song_id, float(number), "ok", site="", path=TRACK, sha256=digest))
        journal._connection.execute("COMMIT")


def injected(job: clip.ClipJob) -> clip.Row:
    """What a worker does for a song, with the payload in place of one that is decoded, levelled and encoded."""
    with mock.patch.object(clip, "_make", _payload_of_track):
        return clip.make_clip(job)


def _payload_of_track(job: clip.ClipJob, row: clip.Row) -> bytes:
    row |= {"codec": "flac", "window": "drawn", "start_s": 0.0, "start_sample": 0, "track_duration_s": 15.0}
    row |= {"loudness_in_lufs": -20.0, "loudness_out_lufs": -20.0, "gain_db": 0.0, "loudness_policy": "limit"}
    return job.source.read_bytes()


def build(folder: Path) -> None:
    """The build that is watched."""
    options = BuildOptions(str(folder / "source"), folder / "out", workers=WORKERS)
    with mock.patch("build.audio.clips.make_clip", injected):
        Build(options, Workspace(folder / "work"), lambda line: print(line, flush=True)).run()


def watch(folder: Path) -> dict[str, float]:
    """Run `build` in a process; seconds, CPU seconds, peak memory and most open files of it and all its children."""
    command = [sys.executable, "-m", "tests.bench.scale", "--build", str(folder)]
    cpu_s, peak_bytes, most_files, start_s = {}, 0, 0, time.monotonic()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            seen = list(_glance(psutil.Process(process.pid)))
            cpu_s |= {pid: used_s for pid, used_s, _, _ in seen}
            peak_bytes = max(peak_bytes, sum(size for *_, size, _ in seen))
            most_files = max(most_files, sum(files for *_, files in seen))
            if time.monotonic() - start_s > MOST_S:
                process.kill()
                raise SystemExit(f"gave up after {MOST_S:g} s")
            time.sleep(GLANCE_S)
    if process.returncode:
        raise SystemExit(f"the build ended with {process.returncode}")
    used_s = sum(cpu_s.values())
    return {
        "seconds": round(time.monotonic() - start_s, 1),
        "cpu_seconds": round(used_s, 1),
        "peak_mb": round(peak_bytes / 1e6),
        "open_files": most_files,
    }


def _glance(process: psutil.Process) -> Iterator[tuple[int, float, int, int]]:
    """Process id, CPU seconds so far, memory with its share of what processes share, and open files, of a family."""
    for one in (process, *process.children(recursive=True)):
        try:
            times = one.cpu_times()
            yield one.pid, times.user + times.system, one.memory_full_info().pss, one.num_fds()
        except psutil.Error:  # it has just ended
            continue


def measure(n_songs: int, scratch: Path) -> dict[str, float]:
    """Prepare, build and weigh one size in a folder of its own."""
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        folder = Path(name)
        prepare(folder, n_songs)
        print(f"-- {n_songs} songs", flush=True)
        spent = watch(folder)
        journal = (folder / "work" / "journal.sqlite").stat().st_size
        out = sum(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file())
    return {
        "songs": n_songs,
        **spent,
        "journal_bytes_a_song": round(journal / n_songs),
        "output_bytes_a_song": round(out / n_songs),
    }


def ratios(runs: list[dict[str, float]]) -> dict[str, float]:
    """The last step of the sizes against the step before it; nothing where there are no two steps."""
    if len(runs) < 3:
        return {}
    before, after = (
        (last["cpu_seconds"] - first["cpu_seconds"]) / (last["songs"] - first["songs"])
        for first, last in pairwise(runs[-3:])
    )
    return {
        "marginal CPU a song": round(after / before, 3),
        "memory": round(runs[-1]["peak_mb"] / runs[-2]["peak_mb"], 3),
    }


def require_room(sizes: list[int], scratch: Path) -> None:
    """Exit where the largest build would pass the cap, or has no room."""
    need, free = max(sizes) * DISK_A_SONG, shutil.disk_usage(scratch).free
    if need > min(MOST_DISK, free):
        raise SystemExit(
            f"{max(sizes)} songs take {need / 1e9:.1f} GB; allowed are {MOST_DISK / 1e9:g}, free {free / 1e9:.1f}"
        )


def main() -> int:
    """Measure every size, write the result; 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--result", type=Path, default=RESULT)
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.build:
        build(chosen.build)
        return 0
    require_room(chosen.sizes, chosen.scratch)
    runs = [measure(size, chosen.scratch) for size in sorted(chosen.sizes)]
    found = ratios(runs)
    result = {"machine": platform.processor() or platform.machine(), "cpus": os.cpu_count(), "workers": WORKERS}
    result |= {"payload_bytes": len(payload()), "runs": runs, "ratios": found, "limits": LIMITS}
    text = json.dumps(result, indent=1)
    print(text)
    write_bytes(chosen.result, text.encode() + b"\n")
    return int(any(ratio > LIMITS[name] for name, ratio in found.items()))


if __name__ == "__main__":
    sys.exit(main())
