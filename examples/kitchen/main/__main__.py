"""Serve HTTP: python -m examples.kitchen.main"""

import atexit
import logging
import sys
from logging.handlers import QueueHandler, QueueListener
from queue import SimpleQueue

from goatherd import GoatherdError


def main() -> int:
    """Until SIGTERM or Ctrl-C; the exit code."""
    log_to_standard_error()
    try:
        # The settings are read when this is imported.
        from examples.kitchen.main.herd import app, settings
        from examples.kitchen.main.server import listen, serve
        from examples.kitchen.main.web import make_web

        app.definitions()
        with listen(settings.host, settings.port) as listening:
            serve(make_web(), listening)
    except (GoatherdError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def log_to_standard_error() -> None:
    """Send every line to standard error, except what is only for the lines of the contract; after a fork, anew."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(message)s"))
    # A thread of its own writes, because the I/O thread must not wait until two hundred others have written.
    lines: SimpleQueue[logging.LogRecord] = SimpleQueue()
    writer = QueueListener(lines, handler)
    writer.start()
    atexit.register(writer.stop)
    entrance = QueueHandler(lines)
    entrance.setLevel(logging.INFO)
    entrance.setFormatter(logging.Formatter("%(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[entrance], force=True)
    # A line for each request is the web server's business, and costs more than the request.
    logging.getLogger("werkzeug").setLevel(logging.WARNING)


if __name__ == "__main__":
    sys.exit(main())
