"""Run dubbing-api: python -m examples.dubbing.api"""

import sys

from fastapi import FastAPI

from examples.running.web import serve


def load() -> tuple[FastAPI, str, int]:
    """Here, so that wrong settings are told in one sentence."""
    from examples.dubbing.api.web import web
    from examples.dubbing.herd import settings

    return web, settings.host, settings.port


if __name__ == "__main__":
    # Whoever watches a task would keep it from ending.
    sys.exit(serve(load, farewell=2))
