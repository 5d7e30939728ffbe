"""A threaded web server, one thread for each connection."""

import logging
import signal
import socket
import threading
from types import FrameType

from flask import Flask
from werkzeug.serving import BaseWSGIServer, make_server

from examples.kitchen.main.opening import Opening

#: Connections that may wait until they are accepted: clients may come all at once.
BACKLOG = 1024

log = logging.getLogger("kitchen")


def listen(host: str, port: int) -> socket.socket:
    """The socket for clients; raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    # Several processes may share it: who comes too late to take a connection must not wait for the next one.
    listening.setblocking(False)
    return listening


def serve(web: Flask, listening: socket.socket) -> None:
    """Serve until SIGTERM or Ctrl-C, then end in good order; raises what keeps the app from ever opening."""
    host, port = listening.getsockname()[:2]
    server = make_server(host, port, web, threaded=True, fd=listening.fileno())
    opening = Opening()
    opening.start()
    try:
        opening.await_first_try()
        _end_on_signals(server)
        log.info("Serving on http://%s:%d", f"[{host}]" if ":" in host else host, port)
        server.serve_forever(poll_interval=0.1)
    finally:
        opening.stop()
    log.info("Stopped")


def _end_on_signals(server: BaseWSGIServer) -> None:
    def end(_number: int, _frame: FrameType | None) -> None:
        # It waits for the loop that this signal has interrupted, so it needs a thread of its own.
        threading.Thread(target=server.shutdown, name="kitchen-end").start()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
