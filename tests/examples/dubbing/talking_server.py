"""A server on a loopback port that hears, translates and speaks as OpenAI's and LibreTranslate's do."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class TalkingServer:
    """Answers every question alike, and remembers what it was asked."""

    status: int = 200
    body: bytes = b""
    #: While this is not set, no answer is given.
    answering: threading.Event = field(default_factory=threading.Event)
    #: Path, Authorization header and body of each question.
    asked: list[tuple[str, str | None, bytes]] = field(default_factory=list)
    url: str = ""

    def says(self, answer: object) -> None:
        self.body = json.dumps(answer).encode()


@contextmanager
def talking_server() -> Iterator[TalkingServer]:
    talking = TalkingServer()
    talking.answering.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            talking.asked.append((self.path, self.headers["Authorization"], body))
            talking.answering.wait(30)
            self.send_response(talking.status)
            self.send_header("Content-Length", str(len(talking.body)))
            self.end_headers()
            # Who asked may have given up.
            with suppress(ConnectionError):
                self.wfile.write(talking.body)

        def log_message(self, format: str, *args: Any) -> None:
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="talking server")
    thread.start()
    talking.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield talking
    finally:
        talking.answering.set()
        server.shutdown()
        thread.join(10)
        server.server_close()
