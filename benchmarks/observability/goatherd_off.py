"""Nothing is counted, and nothing is traced."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.contender import Contender
from benchmarks.sqlite.goatherd import GoatherdContender
from goatherd import Goatherd, Task
from goatherd.ports.telemetry import Silent


@dataclass(frozen=True, kw_only=True)
class Off(GoatherdContender):
    """Goatherd on a file, unseen."""

    label: str = "everything off"

    def app(self, place: Path) -> tuple[Goatherd, Task[[int], None]]:
        app, job = super().app(place)
        silent: Any = Silent()
        app.meter = silent
        return app, job


CONTENDER: Contender = Off()
