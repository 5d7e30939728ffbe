"""A server on a loopback port that speaks the part of OpenAI's protocol that the provider uses."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class ModelServer:
    """Answers every question alike, and remembers what it was asked."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    #: While this is not set, no answer is given.
    answering: threading.Event = field(default_factory=threading.Event)
    asked: list[dict[str, Any]] = field(default_factory=list)
    #: Path and Authorization header of each question.
    seen: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""

    def says(self, content: str | None, **choice: Any) -> None:
        """Let the model answer with this text."""
        message = {"role": "assistant", "content": content, **choice.pop("message", {})}
        self.body = json.dumps(
            {"id": "chat-1", "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}]}
        ).encode()


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A server for the length of a test."""
    model = ModelServer()
    model.answering.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            model.seen.append((self.path, self.headers["Authorization"]))
            model.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            model.answering.wait(30)
            self.send_response(model.status)
            for name, value in {"Content-Length": str(len(model.body)), **model.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(model.body)

        def log_message(self, format: str, *args: Any) -> None:
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="model server")
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model
    finally:
        model.answering.set()
        server.shutdown()
        thread.join(10)
        server.server_close()
