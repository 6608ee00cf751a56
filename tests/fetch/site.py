"""A local HTTP server that misbehaves in every way that a fetch must live with, and counts what is asked of it.

The first part of a path says how it answers: /whole/..., /html/..., /truncated/...
"""

import gzip
import http.server
import io
import math
import socket
import struct
import threading
import wave
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


def tone(seconds: float = 1.0, pitch_hz: float = 440.0, rate_hz: int = 8000) -> bytes:
    """A WAV file of a sine, mono, 16 bit."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        samples = (int(9000 * math.sin(2 * math.pi * pitch_hz * n / rate_hz)) for n in range(int(seconds * rate_hz)))
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return buffer.getvalue()


class Site(http.server.ThreadingHTTPServer):
    """`hits` counts requests by path, `headers` are those of the last one, `closing` ends the answers that hang."""

    daemon_threads = True
    body = tone()

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.hits: Counter[str] = Counter()
        self.headers: dict[str, str] = {}
        self.location = "/whole/elsewhere.wav"
        self.closing = threading.Event()
        self.asked = threading.Condition()

    def wait_for(self, hits: int) -> None:
        """Return once as many requests have come in all."""
        with self.asked:
            assert self.asked.wait_for(lambda: self.hits.total() >= hits, timeout=60), "nobody asks any more"

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{path}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of the game."""


@contextmanager
def site() -> Iterator[Site]:
    """A running Site."""
    server = Site()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Site

    def do_GET(self) -> None:
        with self.server.asked:
            self.server.hits[self.path] += 1
            self.server.headers = dict(self.headers)
            self.visit = self.server.hits[self.path]
            self.server.asked.notify_all()
        getattr(self, "answer_" + self.kind().replace("-", "_"))()

    def do_HEAD(self) -> None:
        self.do_GET()

    def kind(self) -> str:
        """The first part of the path; a proxy is asked for whole addresses."""
        path = urlsplit(self.path).path
        return path.split("/")[1] or "front-door"

    def log_message(self, *args: object) -> None:
        pass

    def send(self, status: int, body: bytes = b"", length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def cut(self) -> None:
        self.close_connection = True
        self.wfile.flush()

    def answer_front_door(self) -> None:
        self.send(200)

    def answer_whole(self) -> None:
        self.send(200, self.server.body, Content_Type="audio/wav")

    def answer_ranged(self) -> None:
        """Only the bytes asked for, as YouTube's media hosts are asked."""
        first, last = (int(number) for number in self.headers["Range"].removeprefix("bytes=").split("-"))
        part = self.server.body[first : last + 1]
        self.send(206, part, Content_Range=f"bytes {first}-{first + len(part) - 1}/{len(self.server.body)}")

    def answer_html(self) -> None:
        self.send(200, b"<!DOCTYPE html><html><title>Sign in</title><audio src='/whole/x.wav'></audio></html>")

    def answer_text(self) -> None:
        self.send(200, b"this is no audio " * 1000, Content_Type="audio/mpeg")

    def answer_empty(self) -> None:
        self.send(200)

    def answer_truncated(self) -> None:
        self.send(200, self.server.body[:9000], length=len(self.server.body))
        self.cut()

    def answer_short(self) -> None:
        """Half a file that the answer declares to be all."""
        self.send(200, self.server.body[:9000])

    def answer_forbidden(self) -> None:
        self.send(403)

    def answer_forbidden_once(self) -> None:
        self.send(403) if self.visit == 1 else self.answer_whole()

    def answer_missing(self) -> None:
        self.send(404)

    def answer_failing(self) -> None:
        self.send(503)

    def answer_busy_once(self) -> None:
        self.send(503, Retry_After="60") if self.visit == 1 else self.answer_whole()

    def answer_limited_once(self) -> None:
        self.send(429, Retry_After="7") if self.visit == 1 else self.answer_whole()

    def answer_limited(self) -> None:
        self.send(429, Retry_After="7")

    def answer_loop(self) -> None:
        self.send(302, Location=self.path)

    def answer_to_file(self) -> None:
        self.send(302, Location="file:///etc/passwd")

    def answer_to_private(self) -> None:
        self.send(302, Location=f"http://127.0.0.2:{self.server.server_port}/whole/x.wav")

    def answer_elsewhere(self) -> None:
        self.send(302, Location=self.server.location)

    def answer_to_whole(self) -> None:
        self.send(302, Location="/whole/behind-a-redirect.wav")

    def answer_endless(self) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        while not self.server.closing.is_set():
            self.wfile.write(bytes(1 << 16))

    def answer_bomb(self) -> None:
        """Some thousand bytes that unpack to ten million."""
        self.send(200, gzip.compress(bytes(10_000_000)), Content_Encoding="gzip")

    def answer_declared_large(self) -> None:
        self.send(200, bytes(1 << 16), length=10**12)
        self.cut()

    def answer_hang(self) -> None:
        self.server.closing.wait()

    def answer_stall(self) -> None:
        self.send(200, self.server.body[:9000], length=len(self.server.body))
        self.server.closing.wait()

    def answer_drip(self) -> None:
        """A byte now and then: no single read ever times out."""
        self.send(200, b"", length=len(self.server.body))
        while not self.server.closing.wait(0.05):
            self.wfile.write(b"R")

    def answer_drip_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.server.closing.wait(0.05):
            self.wfile.write(b"s")

    def answer_reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
