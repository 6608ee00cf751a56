"""Run every benchmark, each in a process of its own; 1 where one of them failed or missed what it wants."""

import subprocess
import sys

BENCHMARKS = ("ratings", "charts", "excerpts", "loading", "scale")


def main() -> int:
    """All of them, also after one that failed."""
    failed = []
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"tests.bench.{name}"], check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed) or 'none'}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
