"""The three programs together, on one broker."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from examples.running.programs import Program, Tell
from examples.running.together import Together

#: What programs say when they are ready.
WEB_READY, WORKER_READY = r"Serving on (http://\S+)", "Taking jobs from"


def web_program(name: str, environment: Mapping[str, str], tell: Tell) -> Program:
    """The main program; it says where it serves."""
    return Program(name, ["-m", "examples.kitchen.main"], WEB_READY, environment, tell)


def worker_program(name: str, environment: Mapping[str, str], tell: Tell) -> Program:
    """The crawler or the AI service."""
    target = f"examples.kitchen.{name}.service:app"
    return Program(name, ["-m", "goatherd", "worker", target], WORKER_READY, environment, tell)


class Kitchen(Together):
    """`with Kitchen(...)` runs them all."""

    def __init__(self, folder: Path, settings: Mapping[str, str], tell: Tell) -> None:
        self.folder = folder
        #: Pictures that the AI service may read.
        self.pictures = folder / "pictures"
        self.tell = tell
        usual = {
            "GOATHERD_BROKER_URL": f"sqlite:///{folder}/kitchen.db",
            "GOATHERD_EVENTS_URL": f"sqlite:///{folder}/kitchen.db",
            "AI_PICTURE_FOLDER": str(self.pictures),
            # The site to be crawled is on this machine, and two of its pages never end.
            "CRAWLER_ALLOW_PRIVATE": "1",
            "CRAWLER_PAGE_SECONDS": "2",
        }
        self.environment = {**usual, **os.environ, **settings, "PYTHONUNBUFFERED": "1"}
        self.crawler = worker_program("crawler", self.environment, tell)
        self.ai = worker_program("ai", self.environment, tell)
        self.main = web_program("main", self.environment, tell)
        self.programs = (self.crawler, self.ai, self.main)

    @property
    def url(self) -> str:
        """Where the main program serves."""
        return self.main.match[1]

    def __enter__(self) -> Self:
        self.pictures.mkdir(parents=True, exist_ok=True)
        return super().__enter__()
