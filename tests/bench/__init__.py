"""Benchmarks: ratios between contenders in one run, never single times. `python -m tests.bench` runs them all.

Each writes its raw result, with the machine and the versions, to `results/NAME.json`, from which the README's tables
are rendered.
"""

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from build.files import write_bytes

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("numpy", "pandas", "pyarrow", "soundfile", "av", "datasets")


def report(name: str, result: dict[str, Any]) -> None:
    """Print a result and write it to `results/NAME.json`."""
    machine = {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}
    versions = {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}}
    text = json.dumps(result | {"machine": machine, "versions": versions}, indent=1)
    print(text)
    write_bytes(RESULTS / f"{name}.json", f"{text}\n".encode())
