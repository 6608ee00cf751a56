"""Loading the same clips with `globalmood.batches` and with its peers, locally and over HTTP.

    python -m tests.bench.loading [--rounds N] [--folder BUILT]

Every contender is a process of its own that stays up, and they take turns: a round runs each of them once on one cell
(a layer, a number of workers, a place). A cell's figure is the median over the rounds; the ratio to the best peer and
to the limit is the median of the rounds' own ratios. The page cache is warm: the first round counts for nothing.
"""

import argparse
import gc
import multiprocessing
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import pyarrow.parquet as pq

import globalmood
from tests.bench import report
from tests.bench.ranges import serve

LAYERS = ("bytes", "decode", "resample")
WORKERS = (0, 1, 2)
LATENCIES_MS = (0, 50)
HTTP_CELLS = [(layer, workers) for layer in ("bytes", "decode") for workers in (0, 2)]
EPOCHS = {"bytes": 8, "decode": 2, "resample": 2}  # in a measurement: a pass over bytes alone takes a moment
HTTP_EPOCHS = {"bytes": 2, "decode": 1}
MEMORY_EPOCHS = 6
MB = 1e6
WANTED = {"best peer": 0.95, "limit": 0.9}


def main() -> None:
    """Write every contender's files, measure them in turn, and report."""
    asked = _asked()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "built").symlink_to(asked.folder.resolve())
        clips = list(_clips(asked.folder))
        with _contenders(clips, folder) as contenders:
            local = [_cell(contenders, asked.rounds, folder, layer, workers) for layer in LAYERS for workers in WORKERS]
            http = list(_http(contenders, asked.rounds, folder))
            memory = {name: ask("memory", folder, "decode", 2) for name, ask in contenders.items() if name != "limit"}
    useful = sum(len(payload) for _, payload in clips)
    result = {"clips": len(clips), "useful_mb": round(useful / MB, 1), "rounds": asked.rounds, "wanted": WANTED}
    report("loading", result | {"local": local, "http": _per_useful(http, useful), "memory": memory})


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path("globalmood"), help="a built dataset (default: globalmood)")
    asked = parser.parse_args()
    if not (asked.folder / "MANIFEST.json").is_file():
        sys.exit(f"{asked.folder} is no built dataset: run `make dataset` first, or name one with --folder")
    return asked


def _clips(built: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(built.glob(globalmood.FILES["all"]["train"])):
        for row in pq.read_table(path, columns=["song_id", "audio"]).to_pylist():
            if row["audio"]:
                yield row["song_id"], row["audio"]["bytes"]


def _cell(contenders: dict, rounds: int, place: str, layer: str, workers: int) -> dict[str, Any]:
    """Every contender in turn, a round more than is counted, and what becomes of the paired ratios."""
    from tests.bench.contenders import ARMS, PEERS

    names = [name for name in contenders if workers == 0 or name != "limit"]
    if "://" in place:
        names = [name for name in names if ARMS[name].over_http]
    runs = {name: [] for name in names}
    print(f"{layer}, {workers} workers, {place}", file=sys.stderr)
    for _ in range(rounds + 1):
        for name in names:
            runs[name].append(contenders[name]("time", place, layer, workers))
    runs = {name: done[1:] for name, done in runs.items()}
    speed = {name: [run["clips_per_s"] for run in done] for name, done in runs.items()}
    best = max((name for name in PEERS if name in speed), key=lambda name: median(speed[name]))
    rivals = {"best peer": best, **({"limit": "limit"} if "limit" in speed and layer != "bytes" else {})}
    return {
        "layer": layer,
        "workers": workers,
        "best_peer": best,
        "ratios": {key: median(map(_ratio, speed["batches"], speed[name])) for key, name in rivals.items()},
        "clips_per_s": {name: median(values) for name, values in speed.items()},
        "first_batch_s": {name: median(run["first_s"] for run in done) for name, done in runs.items()},
        "runs": runs,
    }


def _ratio(ours: float, theirs: float) -> float:
    return ours / theirs


def _http(contenders: dict, rounds: int, folder: str) -> Iterator[dict[str, Any]]:
    for latency_ms in LATENCIES_MS:
        with serve(Path(folder), latency_ms / 1000) as server:
            for layer, workers in HTTP_CELLS:
                counted = {name: _counting(ask, server) for name, ask in contenders.items()}
                yield {"latency_ms": latency_ms} | _cell(counted, rounds, server.address, layer, workers)


def _counting(ask: Any, server: Any) -> Any:
    def asking(*job: Any) -> dict[str, Any]:
        server.counts()
        return ask(*job) | {"read": server.counts()}

    return asking


def _per_useful(cells: list[dict[str, Any]], useful: int) -> list[dict[str, Any]]:
    """The cells with bytes read over useful bytes, and requests, of one epoch by each contender."""
    for cell in cells:
        epochs = HTTP_EPOCHS[cell["layer"]]
        read = {name: [run["read"] for run in done] for name, done in cell["runs"].items()}
        cell["read_over_useful"] = {n: median(one["bytes"] for one in of) / useful / epochs for n, of in read.items()}
        cell["requests"] = {n: median(one["requests"] for one in of) / epochs for n, of in read.items()}
    return cells


@contextmanager
def _contenders(clips: list, folder: str) -> Iterator[dict[str, Any]]:
    """Name -> a function that has the contender's own process do a job and returns what it measured."""
    from tests.bench.contenders import ARMS

    spawn = multiprocessing.get_context("spawn")
    processes, ends = {}, {}
    for arm in ARMS.values():
        arm.write(clips, Path(folder))
    for name in ARMS:
        ends[name], theirs = spawn.Pipe()
        processes[name] = spawn.Process(target=_serve_jobs, args=(name, len(clips), theirs))
        processes[name].start()

    def asker(name: str) -> Any:
        def ask(*job: Any) -> dict[str, Any]:
            ends[name].send(job)
            answer = ends[name].recv()
            if isinstance(answer, str):
                raise RuntimeError(f"{name} failed at {job}: {answer}")
            return answer

        return ask

    try:
        yield {name: asker(name) for name in ARMS}
    finally:
        for name, process in processes.items():
            ends[name].send(None)
            process.join()


def _serve_jobs(name: str, n_clips: int, jobs: Connection) -> None:
    import torch

    from tests.bench.contenders import ARMS

    torch.set_num_threads(1)
    multiprocessing.set_start_method("fork", force=True)  # of the loader's workers: what starts fastest, for everyone
    kinds = {"time": _time, "memory": _memory}
    while job := jobs.recv():
        kind, place, layer, workers = job
        try:
            jobs.send(kinds[kind](ARMS[name], n_clips, place, layer, workers))
        except Exception:  # noqa: BLE001 - whatever a contender fails with is told by the process that asked
            jobs.send(traceback.format_exc())
        gc.collect()  # loaders are closed here, and not by the workers of the next one


def _time(arm: Any, n_clips: int, place: str, layer: str, workers: int) -> dict[str, Any]:
    """Seconds from nothing to the first batch, and clips a second over whole epochs, the start of workers included."""
    start = time.perf_counter()
    loader = arm.loader(place, layer, workers)
    opened, first, got = time.perf_counter(), 0.0, 0
    epochs = (HTTP_EPOCHS if "://" in place else EPOCHS)[layer]
    for _ in range(epochs):
        for batch in loader:
            first = first or time.perf_counter()
            got += len(batch)
    seconds = time.perf_counter() - opened
    if got != epochs * n_clips:
        raise RuntimeError(f"{type(arm).__name__} gave {got} clips in {epochs} epochs of {n_clips}")
    return {"first_s": first - start, "clips_per_s": got / seconds}


def _memory(arm: Any, n_clips: int, place: str, layer: str, workers: int) -> dict[str, Any]:
    """Peak of the process and its workers, and by how much it grew from the second epoch to the last."""
    loader = arm.loader(place, layer, workers)
    peaks = [max(_pss_mb() for _ in loader) for _ in range(MEMORY_EPOCHS)]
    return {"peak_mb": max(peaks), "mb_per_epoch": (peaks[-1] - peaks[1]) / (MEMORY_EPOCHS - 2)}


def _pss_mb() -> float:
    me = psutil.Process()
    return sum(process.memory_full_info().pss for process in (me, *me.children(recursive=True))) / MB


if __name__ == "__main__":
    main()
