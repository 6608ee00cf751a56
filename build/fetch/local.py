"""Files of a source folder, served to yt-dlp by HTTP on this machine and to nobody else."""

import http.server
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote


class _Files(http.server.BaseHTTPRequestHandler):
    """Answers GET of /<token>/<path> with a regular file below the server's folder; anything else is 404."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        path = self.server.find(self.path)
        if path is None:
            self.send_error(404)
            return
        with open(path, "rb") as file:
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(path.stat().st_size))
            self.end_headers()
            self.connection.sendfile(file)

    def log_message(self, *args: object) -> None:
        """Say nothing: the journal tells what was fetched."""


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Files)
        self.folder = folder.resolve()
        self.token = secrets.token_urlsafe(16)

    def find(self, requested: str) -> Path | None:
        """The file that a request may have: below the folder also after following links, and named with the token."""
        _, token, *rest = requested.split("/", 2)
        wanted = unquote("".join(rest))
        if "\0" in wanted:
            return None
        path = (self.folder / wanted).resolve()
        allowed = secrets.compare_digest(token, self.token) and path.is_relative_to(self.folder)
        return path if allowed and path.is_file() else None

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news here: its own side reports it."""


@contextmanager
def serving(folder: Path | None) -> Iterator[str]:
    """The address under which the files of `folder` can be had inside the block (empty without a folder)."""
    if folder is None:
        yield ""
        return
    server = _Server(folder)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{server.token}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
