"""An app to be looked at, and what the doctor says of it."""

from pathlib import Path
from typing import Any

from goatherd import Goatherd
from goatherd.cli.check import Check
from goatherd.cli.checks import examine
from goatherd.ports.clock import SystemClock


class LateClock(SystemClock):
    """Of a machine whose clock nobody sets."""

    def __init__(self, late: float) -> None:
        self._late = late

    def now(self) -> float:
        return super().now() - self._late


def patient(folder: Path, **settings: Any) -> Goatherd:
    """An app with one task, in a folder of its own."""
    app = Goatherd("clinic", **({"broker_url": f"sqlite:///{folder}/jobs.db"} | settings))

    @app.task
    async def cough() -> None: ...

    return app


async def found(app: Goatherd, name: str) -> list[Check]:
    """What the doctor says under a name."""
    return [check async for check in examine(app, "clinic:app") if check.name == name]


async def the_one(app: Goatherd, name: str) -> Check:
    """The same, where it must be one thing."""
    [check] = await found(app, name)
    return check
