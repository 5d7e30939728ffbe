"""A language model that writes what it is told to, and stops, refuses or hangs on demand."""

import json
import select
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

#: Words of an answer.
WORDS = 40
#: Seconds between two looks whether the client is still there.
GLANCE = 0.02


def answer_to(message: str) -> str:
    """What it writes: the same for the same question, and never the same for two."""
    return f"About “{message}”:" + "".join(f" word{number}" for number in range(1, WORDS))


class ModelServer:
    """`with ModelServer() as model:` serves on a port of its own; all is used from another thread."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(GLANCE,), name="model server")
        self._changed = threading.Condition()
        self._hold_at: int | None = None
        self._refusals: list[int] = []
        #: Questions that came, refused ones included, and clients that left in the middle of an answer.
        self.asked = self.left = 0

    @property
    def url(self) -> str:
        """For CHAT_API_BASE."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.go_on()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def hold_at(self, words: int) -> None:
        """Stop every answer after so many words."""
        with self._changed:
            self._hold_at = words

    def go_on(self) -> None:
        """Let all answers go on to their ends."""
        with self._changed:
            self._hold_at = None
            self._changed.notify_all()

    def refuse(self, times: int, status: int = 503) -> None:
        """Answer the next questions with an error."""
        with self._changed:
            self._refusals = [status] * times

    def wait_until_left(self, times: int, seconds: float = 10.0) -> bool:
        """Wait until so many clients have left."""
        with self._changed:
            return self._changed.wait_for(lambda: self.left >= times, seconds)

    def wait_until_asked(self, times: int, seconds: float = 20.0) -> bool:
        """Wait until so many questions came."""
        with self._changed:
            return self._changed.wait_for(lambda: self.asked >= times, seconds)

    def take(self) -> int | None:
        """A question came: the status of a refusal, or None."""
        with self._changed:
            self.asked += 1
            self._changed.notify_all()
            return self._refusals.pop() if self._refusals else None

    def write(self, message: str, client: socket.socket) -> Iterator[str]:
        """The words, as far as the client stays."""
        for number, word in enumerate(answer_to(message).split(" ")):
            while self._holds(number):
                if _has_left(client):
                    self._note_left()
                    return
            yield word if number == 0 else f" {word}"

    def _holds(self, number: int) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._hold_at is None or number < self._hold_at, GLANCE)
            return self._hold_at is not None and number >= self._hold_at

    def _note_left(self) -> None:
        with self._changed:
            self.left += 1
            self._changed.notify_all()


def _has_left(client: socket.socket) -> bool:
    readable, _, _ = select.select([client], [], [], 0)
    try:
        return bool(readable) and client.recv(1, socket.MSG_PEEK) == b""
    except ConnectionError:
        return True


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            refusal = model.take()
            self.send_response(refusal or 200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            if refusal is None:
                self._stream(_question_in(body))
            else:
                self.wfile.write(b'{"error": "overloaded"}')

        def _stream(self, message: str) -> None:
            try:
                for word in model.write(message, self.connection):
                    self._chunk({"choices": [{"index": 0, "delta": {"content": word}}]})
                self.wfile.write(b"data: [DONE]\n\n")
            except ConnectionError:
                model._note_left()

        def _chunk(self, chunk: dict[str, Any]) -> None:
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing: what matters is checked."""

    return Handler


def _question_in(body: dict[str, Any]) -> str:
    content = body["messages"][-1]["content"]
    return str(content) if isinstance(content, str) else "a picture"
