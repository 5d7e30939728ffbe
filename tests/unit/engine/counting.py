"""A task that counts its runs, and what the watchers of its jobs see."""

import asyncio
from typing import Any

from goatherd import Goatherd
from goatherd.events import Event
from goatherd.model.message import Message
from goatherd.run import Run
from tests.unit.engine.stage import PATIENCE, Notes, Stage


class Counter:
    """A task that counts how often it runs, and fails for some."""

    def __init__(self, app: Goatherd) -> None:
        self.runs: list[str] = []
        self.notes = Notes()

        @app.task
        async def count(name: str) -> str:
            self.runs.append(name)
            self.notes(name)
            if name.startswith("bad"):
                raise ValueError(name)
            return name

        self.task = count


async def told(run: Run[Any]) -> list[Event]:
    """All that a watcher sees, to the end."""
    async with asyncio.timeout(PATIENCE):
        return [event async for event in run.events()]


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def spy_on_messages(stage: Stage) -> list[Message]:
    """What the app sends from now on."""
    broker: Any = stage.broker
    publish, sent = broker.publish, list[Message]()

    async def noting(messages: list[Message]) -> None:
        sent.extend(messages)
        await publish(messages)

    broker.publish = noting
    return sent
