"""Where alerts are taken: a small HTTP server that remembers them."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Webhook:
    """Used with `with`."""

    def __init__(self) -> None:
        self.alerts: list[dict[str, Any]] = []
        taken = self.alerts

        class Taking(BaseHTTPRequestHandler):
            """Takes one alert."""

            def do_POST(self) -> None:
                """Remember it."""
                taken.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Not in the terminal."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
        self._thread = threading.Thread(target=self._server.serve_forever, name="webhook", daemon=True)

    @property
    def url(self) -> str:
        """Where to send them."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/alerts"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
