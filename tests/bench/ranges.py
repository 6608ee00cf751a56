"""A static HTTP server for one folder, with ranges, a latency before every answer, and counts of what it was asked.

python -m tests.bench.ranges FOLDER LATENCY_S      prints its address; GET /counts tells and resets the counts
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote
from urllib.request import urlopen

LONGEST_ANSWER_S = 5.0  # waited for: a client may have stopped reading in the middle of one


class Handler(BaseHTTPRequestHandler):
    """Answers HEAD and GET, whole or one range."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    folder: Path
    latency_s: float
    counts = {"requests": 0, "bytes": 0, "under way": 0}  # noqa: RUF012 - of the one server in this process
    changed = threading.Condition()

    def do_GET(self) -> None:
        if self.path == "/counts":
            self._tell()
            return
        with self._counted():
            self._answer()

    do_HEAD = do_GET  # noqa: N815 - http.server calls it so

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Under way to the end, which comes after a client has all of its bytes."""
        with self.changed:
            self.counts["under way"] += 1
        try:
            yield
        finally:
            with self.changed:
                self.counts["under way"] -= 1
                self.changed.notify_all()

    def _answer(self) -> None:
        time.sleep(self.latency_s)
        path = self.folder / unquote(self.path).lstrip("/")
        if not path.is_file():
            self.send_error(404)
            return
        size = path.stat().st_size
        start, end = self._range(size)
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(end - start))
        if "Range" in self.headers:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        self.end_headers()
        with open(path, "rb") as file:
            file.seek(start)
            try:
                if self.command == "GET" and end > start:
                    self.connection.sendfile(file, start, end - start)
            finally:  # also of an answer that the client did not wait for
                with self.changed:
                    self.counts["requests"] += 1
                    self.counts["bytes"] += file.tell() - start

    def _range(self, size: int) -> tuple[int, int]:
        asked = self.headers.get("Range")
        if not asked:
            return 0, size
        first, last = asked.removeprefix("bytes=").split("-")
        if not first:
            return max(0, size - int(last)), size
        return int(first), min(size, int(last) + 1 if last else size)

    def _tell(self) -> None:
        with self.changed:
            self.changed.wait_for(lambda: not self.counts["under way"], timeout=LONGEST_ANSWER_S)
            body = json.dumps({name: self.counts[name] for name in ("requests", "bytes")}).encode()
            self.counts.update(requests=0, bytes=0)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class QuietServer(ThreadingHTTPServer):
    """Takes it calmly when a client hangs up before the end of an answer, as `datasets` does."""

    request_queue_size = 128  # of connections at once; one that finds the queue full waits a second and tries again

    def handle_error(self, *_: object) -> None:
        """Raise what is no lost connection."""
        if not isinstance(sys.exception(), ConnectionError):
            raise


class Server:
    """A running server, seen from the process that started it."""

    def __init__(self, address: str) -> None:
        self.address = address

    def counts(self) -> dict[str, int]:
        """Requests and bytes since this was asked last."""
        with urlopen(f"{self.address}/counts") as answer:  # noqa: S310 - an address of this machine
            return json.load(answer)


@contextmanager
def serve(folder: Path, latency_s: float = 0) -> Iterator[Server]:
    """Serve `folder` from a process of its own, so that it shares no interpreter lock with what is measured."""
    command = [sys.executable, __file__, str(folder), str(latency_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Server(process.stdout.readline().strip())
        finally:
            process.terminate()


if __name__ == "__main__":
    Handler.folder, Handler.latency_s = Path(sys.argv[1]), float(sys.argv[2])
    server = QuietServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
