"""The main program in several processes on one socket, as gunicorn and its like run it: import first, then fork."""

import os
import signal
import sys
from types import FrameType

from flask import Flask, Response

from examples.kitchen.main import __main__
from examples.kitchen.main.herd import settings
from examples.kitchen.main.server import listen, serve
from examples.kitchen.main.web import make_web


def main(processes: int) -> int:
    web = telling_process()
    children: list[int] = []
    with listen(settings.host, settings.port) as listening:
        for _ in range(processes):
            child = os.fork()
            if child == 0:
                __main__.log_to_standard_error()
                serve(web, listening)
                return 0
            children.append(child)

        def end(_number: int, _frame: FrameType | None) -> None:
            for child in children:
                os.kill(child, signal.SIGTERM)

        signal.signal(signal.SIGTERM, end)
        return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


def telling_process() -> Flask:
    web = make_web()

    @web.after_request
    def tell(response: Response) -> Response:
        response.headers["X-Process"] = str(os.getpid())
        return response

    return web


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
