"""A service on this machine that answers as tests want: well, badly, late, or not at all."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Asked = Mapping[str, Any]  # the JSON of a request
CHAT, GEMINI = "chat", "gemini"


class Said(NamedTuple):
    """What the service sends: a body with a status; late is never, for whoever waits less than the test takes."""

    body: Any
    status: int = 200
    late: bool = False


class Service(NamedTuple):
    """Where it is, and what it was asked so far."""

    url: str
    asked: list[Asked]


def chat(text: str | None, **message: object) -> Said:
    """A chat completion of OpenAI's interface."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text} | message}
    usage = {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102}
    return Said(
        {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    )


def gemini(text: str, reason: str = "STOP") -> Said:
    """An answer of Gemini's generateContent."""
    candidate = {"content": {"role": "model", "parts": [{"text": text}] if text else []}, "finishReason": reason}
    return Said({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 2}})


def texts(asked: Asked) -> list[str]:
    """The texts of a request, in their order."""
    if "messages" in asked:
        return [part["text"] for part in asked["messages"][0]["content"] if part["type"] == "text"]
    return [part["text"] for part in asked["contents"][0]["parts"] if "text" in part]


def sounds(asked: Asked) -> list[str]:
    """The sounds of a request, in their order: Base64."""
    if "messages" in asked:
        content = asked["messages"][0]["content"]
        return [part["input_audio"]["data"] for part in content if part["type"] == "input_audio"]
    return [part["inlineData"]["data"] for part in asked["contents"][0]["parts"] if "inlineData" in part]


@contextmanager
def serving(answer: Callable[[Asked, int], Said]) -> Iterator[Service]:
    """Yield a service that says what `answer` makes of a request and of its number, from 0."""
    asked: list[Asked] = []
    over, lock = threading.Event(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                asked.append(request)
                said = answer(request, len(asked) - 1)
            if said.late:
                over.wait()
                return
            body = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
            self.send_response(said.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Service(f"http://127.0.0.1:{server.server_port}", asked)
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()
