"""Run arcade-api: python -m examples.arcade.api"""

import sys

from fastapi import FastAPI

from examples.running.web import serve


def load() -> tuple[FastAPI, str, int]:
    """Here, so that wrong settings are told in one sentence."""
    from examples.arcade.api.web import web
    from examples.arcade.herd import settings

    return web, settings.host, settings.port


if __name__ == "__main__":
    sys.exit(serve(load))
