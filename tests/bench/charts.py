"""Chart selection at full size against pandas: 59 countries x 365 weeks x 100 rows, generated.

    python tests/bench/charts.py [RESULT.json]

Writes seconds and peak memory of both, each in a process of its own, and fails beyond 30 s, 1 GB, or pandas' time.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from importlib.metadata import version
from pathlib import Path

import numpy as np

from build import vocab
from build.charts import songs_from_charts
from build.files import write_bytes

RESULT = Path(__file__).parent / "results" / "charts.json"
FIRST_WEEK, N_WEEKS, N_RANKS = date(2017, 1, 5), 365, 100
NEW_A_WEEK, SHARE_OF_HITS = 8, 0.4  # titles that enter a country's charts; rows that chart in many countries
MOST_S, MOST_MB = 30.0, 1000.0
HEADER = "Rank,Previous Rank,Track Name,Artist Names,Weeks on Chart,Views,Weekly Growth,YouTube URL\n"
LETTERS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"))


def generate(folder: Path) -> None:
    """Write the chart files, seeded: in every country songs of its own and hits, each for some twelve weeks."""
    random = np.random.default_rng(0)
    hits = _songs("World", random)
    for country in (code for code, row in vocab.countries().items() if row.in_globalmood):
        own = _songs(country, random)
        for week in range(N_WEEKS):
            day = FIRST_WEEK + timedelta(days=7 * week)
            name = f"youtube-charts-top-songs-{country.lower()}-weekly-{day}.csv"
            (folder / name).write_text(HEADER + _chart(own, hits, week, random), encoding="utf-8")


def _songs(place: str, random: np.random.Generator) -> list[str]:
    ids = LETTERS[random.integers(64, size=((N_WEEKS + 12) * NEW_A_WEEK, 11))]
    return [
        f'{place} Song {number} (Official Video),"Artist {number // 3}, Guest {number % 50} & {place}",5,123456,4.6%,'
        f"https://www.youtube.com/watch?v={''.join(letters)}\n"
        for number, letters in enumerate(ids)
    ]


def _chart(own: list[str], hits: list[str], week: int, random: np.random.Generator) -> str:
    first, n_hits = week * NEW_A_WEEK, int(N_RANKS * SHARE_OF_HITS)
    window = 13 * NEW_A_WEEK
    there = [hits[first + place] for place in random.choice(window, n_hits, replace=False)]
    here = [own[first + place] for place in random.choice(window, N_RANKS - n_hits, replace=False)]
    ranked = random.permutation(N_RANKS)
    lines = there + here
    return "".join(f"{rank},{rank},{lines[place]}" for rank, place in enumerate(ranked, start=1))


def run_ours(folder: Path) -> int:
    """Songs drawn by the build."""
    return songs_from_charts(folder).selection.songs.num_rows


def run_pandas(folder: Path) -> int:
    """Videos that chart in one country, by `pandas.concat` and `groupby`: less than the build does."""
    import pandas as pd

    parts = []
    for path in sorted(folder.iterdir()):
        country, week = path.name.removeprefix("youtube-charts-top-songs-").removesuffix(".csv").split("-weekly-")
        parts.append(pd.read_csv(path).assign(country=country, week=week))
    rows = pd.concat(parts)
    videos = rows.groupby("YouTube URL").agg({"country": "nunique", "week": ["min", "nunique"], "Rank": "min"})
    return int((videos["country"]["nunique"] == 1).sum())


def measure(who: str, folder: Path) -> dict[str, float]:
    """Seconds, CPU seconds, peak memory in MB, and the number that came out, of one way in a new process."""
    script = [sys.executable, __file__, who, str(folder)]
    done = subprocess.run(script, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": "."})
    return json.loads(done.stdout)


def _measured(who: str, folder: Path) -> None:
    start, start_cpu = time.perf_counter(), time.process_time()
    result = {"ours": run_ours, "pandas": run_pandas}[who](folder)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - start_cpu
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    measured = {"seconds": round(seconds, 1), "cpu_seconds": round(cpu_seconds, 1), "peak_mb": round(peak_mb)}
    print(json.dumps({**measured, "result": result}))


def main() -> int:
    """Generate, measure, write the result; 1 where a limit is passed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder)
        files = sum(1 for _ in folder.iterdir())
        ours, pandas = measure("ours", folder), measure("pandas", folder)
    versions = {package: version(package) for package in ("pyarrow", "numpy", "pandas")}
    result = {"files": files, "rows": files * N_RANKS, "cpus": os.cpu_count(), **versions, "ours": ours}
    result |= {"pandas_concat_groupby": pandas}
    text = json.dumps(result, indent=1)
    print(text)
    write_bytes(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT, text.encode() + b"\n")
    good = ours["seconds"] < min(MOST_S, pandas["seconds"]) and ours["peak_mb"] < MOST_MB
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _measured(sys.argv[1], Path(sys.argv[2]))
    else:
        sys.exit(main())
