"""What jobs leave behind, and what their watchers saw."""

import asyncio
from pathlib import Path
from typing import Any

from goatherd.events import Event
from goatherd.run import Run

#: Seconds after which a story gives up waiting.
PATIENCE = 30.0


class Notes:
    """Lines of a file that any process may add to."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def lines(self) -> list[str]:
        return self._file.read_text(encoding="utf-8").splitlines()

    async def saw(self, start: str) -> str:
        """The first line that begins so, as soon as there is one."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for line in self.lines:
                    if line.startswith(start):
                        return line
                await asyncio.sleep(0.01)


async def told(run: Run[Any], after: str | None = None) -> list[Event]:
    """All that a watcher sees, to the end."""
    async with asyncio.timeout(PATIENCE):
        return [event async for event in run.events(after)]


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


async def until(run: Run[Any], kind: type[Event]) -> Event:
    """Watch until it is told."""
    async with asyncio.timeout(PATIENCE):
        async for event in run.events():
            if isinstance(event, kind):
                return event
    raise AssertionError(f"it ended without {kind.__name__}")
