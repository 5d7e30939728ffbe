"""A kitchen for a test: its programs as real processes, and a client beside it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from examples.kitchen.kitchen import WEB_READY, Kitchen
from examples.kitchen.story.user import metric
from examples.running.programs import Program

#: Seconds after which a client gives up; longer than any deadline here.
PATIENCE = 50.0


@dataclass(frozen=True)
class Premises:
    """The programs that run, and the way to them."""

    kitchen: Kitchen
    client: httpx2.Client

    @property
    def main(self) -> Program:
        return self.kitchen.main

    def post(self, path: str, body: object = None) -> httpx2.Response:
        return self.client.post(path, json=body)

    def get(self, path: str) -> httpx2.Response:
        return self.client.get(path)

    def health(self) -> dict[str, Any]:
        told: dict[str, Any] = self.get("/health").json()
        return told

    def metric(self, name: str, **labels: str) -> float:
        return metric(self.get("/metrics").text, name, **labels)

    def log(self) -> str:
        """All that every program has said."""
        return "\n".join(line for program in self.kitchen.programs for line in program.lines)


@contextmanager
def kitchen_in(
    folder: Path, settings: Mapping[str, str], *without: str, main: list[str] | None = None
) -> Iterator[Premises]:
    """All programs but those that the test plays itself, or leaves out; `main` are another main program's arguments."""
    usual = {"KITCHEN_PORT": "0", "GOATHERD_GRACE_PERIOD": "2"}
    kitchen = Kitchen(folder, {**usual, **settings}, lambda _name, _line: None)
    if main is not None:
        kitchen.main = Program("main", main, WEB_READY, kitchen.environment, kitchen.tell)
        kitchen.programs = (kitchen.crawler, kitchen.ai, kitchen.main)
    kitchen.programs = tuple(program for program in kitchen.programs if program.name not in without)
    try:
        with kitchen, httpx2.Client(base_url=kitchen.url, timeout=PATIENCE) as client:
            yield Premises(kitchen, client)
    finally:
        # A test may have started those that were left out.
        for program in (kitchen.ai, kitchen.crawler):
            program.stop()
