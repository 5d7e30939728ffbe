"""The programs together: dubbing-api, and two workers."""

import os
from collections.abc import Mapping
from pathlib import Path

from examples.dubbing.contract import STEPS
from examples.running.ports import wanted_port
from examples.running.programs import Program, Tell
from examples.running.together import Together

APP = "examples.dubbing.worker.service:dubbing"
#: Seconds after which the steps of a worker that died are done by another one.
LEASE = "5"
#: What workers take from: all queues but the one for segments that could not be spoken, which waits for people.
QUEUES = (*STEPS.values(), "dubbing.dead-letters")


class Studio(Together):
    """`with Studio(...)` runs them all."""

    def __init__(self, folder: Path, settings: Mapping[str, str], tell: Tell) -> None:
        self.folder = folder
        port = wanted_port({**os.environ, **settings}, "DUBBING_PORT")
        self.url = f"http://127.0.0.1:{port}"
        file = f"sqlite:///{folder}/dubbing.db"
        usual = {
            "GOATHERD_BROKER_URL": file,
            "GOATHERD_EVENTS_URL": file,
            "GOATHERD_RECORDS_URL": file,
            "GOATHERD_LEASE": LEASE,
            # Whoever ends this does not want to wait long.
            "GOATHERD_GRACE_PERIOD": "5",
            "DUBBING_DATABASE_URL": f"sqlite:///{folder}/tasks.db",
            "DUBBING_OBJECTS": str(folder / "objects"),
        }
        self.environment = {**usual, **os.environ, **settings, "DUBBING_PORT": port, "PYTHONUNBUFFERED": "1"}
        self.api = Program("api", ["-m", "examples.dubbing.api"], "Serving on", self.environment, tell)
        self.workers = tuple(self._worker(number, tell) for number in ("1", "2"))
        self.programs = (*self.workers, self.api)

    def _worker(self, number: str, tell: Tell) -> Program:
        arguments = ["-m", "goatherd", "worker", APP, "--queues", ",".join(QUEUES)]
        environment = {**self.environment, "DUBBING_WORKER": number}
        return Program(f"worker {number}", arguments, "Taking jobs from", environment, tell)
