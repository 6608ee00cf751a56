"""Run every benchmark, each in a process of its own."""

import subprocess
import sys

BENCHMARKS = ("ratings", "charts", "excerpts", "loading", "scale")

if __name__ == "__main__":
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        subprocess.run([sys.executable, "-m", f"tests.bench.{name}"], check=True)
