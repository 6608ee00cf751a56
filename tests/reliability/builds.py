"""Builds in processes of their own, to be killed, starved and watched.

`python -m tests.reliability.builds` imports the pipeline once and then forks a child for every command line it is sent,
so that a build starts in no time. A child runs `build.cli.main` as `python -m build` does.
"""

import contextlib
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import build.cli

REPOSITORY = Path(__file__).resolve().parent.parent.parent
WATCHED = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect", "socket.connect"}
COUNTED = "file operations: "  # begins the line in which an undisturbed build says how many it made


@dataclass(frozen=True)
class Blow:
    """Signal the build (by itself) before the `nth` operation called `event` whose arguments hold `fragment`, or
    `after_s`. With SIGSTOP it says "struck" first.
    """

    nth: int = 0
    event: str = ""
    fragment: str = ""
    after_s: float | None = None
    signal: int = signal.SIGKILL


@dataclass(frozen=True)
class Done:
    """How a build ended: its exit code (minus the signal that killed it) and all that it printed."""

    returncode: int
    output: str

    @property
    def operations(self) -> int:
        """How many file operations an undisturbed build made."""
        return int(self.output.rpartition(COUNTED)[2])


class Builds:
    """The server, and one build at a time in it."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.builds"],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(
        self, folder: Path, *arguments: object, blow: Blow | None = None, largest_bytes: int | None = None
    ) -> int:
        """Start `python -m build ARGUMENTS` and return the number of its process; what it prints goes below `folder`.

        `largest_bytes` is how long a file may grow (RLIMIT_FSIZE).
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "build.log"
        request = {
            "arguments": [str(argument) for argument in arguments],
            "log": str(self._log),
            "blow": asdict(blow) if blow else None,
            "largest_bytes": largest_bytes,
        }
        print(json.dumps(request), file=self._server.stdin, flush=True)
        return int(self._server.stdout.readline())

    def await_blow(self) -> None:
        """Wait until the build has stopped itself."""
        assert self._server.stdout.readline() == "struck\n"

    def wait(self) -> Done:
        """Wait for the build to end."""
        returncode = int(self._server.stdout.readline())
        return Done(returncode, self._log.read_text())

    def run(self, folder: Path, *arguments: object, **how: object) -> Done:
        """Start a build and wait for its end."""
        self.start(folder, *arguments, **how)
        return self.wait()

    def close(self) -> None:
        """End the server."""
        self._server.communicate()


@contextlib.contextmanager
def builds() -> Iterator[Builds]:
    """A server of builds inside the block."""
    server = Builds()
    try:
        yield server
    finally:
        server.close()


def _serve() -> None:
    for module in ("cli", "hub.rebuild", "fetch.run", *(f"cli.{verb}" for verb in build.cli.VERBS)):
        importlib.import_module(f"build.{module}")
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if not pid:
            _build(**request)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _build(arguments: list[str], log: str, blow: dict | None, largest_bytes: int | None) -> None:
    """In the child: run the command line and end the process."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    answers = os.dup(1)
    for stream in (1, 2):
        os.dup2(handle, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if largest_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_bytes, largest_bytes))
    code = 0
    counted = _watch(Blow(**blow) if blow else None, str(Path(log).parent), answers)
    try:
        sys.argv = ["build", *arguments]
        build.cli.main()
    except SystemExit as end:
        code = end.code or 0
    print(f"{COUNTED}{counted[0]}", flush=True)
    os._exit(code)


def _watch(blow: Blow | None, folder: str, answers: int) -> list[int]:
    """Count the file operations below `folder`, and strike when it is time."""
    counted, struck = [0], [0]
    if blow and blow.after_s is not None:
        timer = threading.Timer(blow.after_s, os.kill, (os.getpid(), blow.signal))
        timer.daemon = True
        timer.start()

    def hook(event: str, arguments: tuple) -> None:
        if event not in WATCHED:
            return
        told = str(arguments)
        if folder not in told:
            return
        counted[0] += 1
        struck[0] += blow is not None and event.endswith(blow.event) and blow.fragment in told
        if blow and blow.nth and struck[0] == blow.nth:
            struck[0] += 1
            if blow.signal == signal.SIGSTOP:
                os.write(answers, b"struck\n")
            os.kill(os.getpid(), blow.signal)

    sys.addaudithook(hook)
    return counted


if __name__ == "__main__":
    _serve()
