"""The programs together: comments-api, and two workers."""

import os
from collections.abc import Mapping
from pathlib import Path

from examples.running.ports import wanted_port
from examples.running.programs import Program, Tell
from examples.running.together import Together

#: Seconds after which the lanes of a worker that died are done by another one.
LEASE = "5"


class Board(Together):
    """`with Board(...)` runs them all."""

    def __init__(self, folder: Path, settings: Mapping[str, str], tell: Tell) -> None:
        self.folder = folder
        port = wanted_port({**os.environ, **settings}, "COMMENTS_PORT")
        self.url = f"http://127.0.0.1:{port}"
        file = f"sqlite:///{folder}/comments.db"
        usual = {
            "GOATHERD_BROKER_URL": file,
            "GOATHERD_EVENTS_URL": file,
            "GOATHERD_LANES_URL": file,
            "GOATHERD_RECORDS_URL": file,
            "GOATHERD_LEASE": LEASE,
            # Whoever ends this does not want to wait long.
            "GOATHERD_GRACE_PERIOD": "5",
            "COMMENTS_DATABASE_URL": f"sqlite:///{folder}/posts.db",
        }
        self.environment = {**usual, **os.environ, **settings, "COMMENTS_PORT": port, "PYTHONUNBUFFERED": "1"}
        self.api = Program("api", ["-m", "examples.comments.api"], "Serving on", self.environment, tell)
        self.workers = tuple(self._worker(number, tell) for number in ("1", "2"))
        self.programs = (*self.workers, self.api)

    def _worker(self, number: str, tell: Tell) -> Program:
        arguments = ["-m", "goatherd", "worker", "examples.comments.worker.service:comments"]
        environment = {**self.environment, "COMMENTS_WORKER": number}
        return Program(f"worker {number}", arguments, "Taking jobs from", environment, tell)
