"""The programs together: two for the batch side, arcade-api, and a Realtime Database of our own."""

import os
from collections.abc import Mapping
from pathlib import Path

from examples.running.ports import free_port, wanted_port
from examples.running.programs import Program, Tell
from examples.running.together import Together

APP = "examples.arcade.batch.service:arcade"
#: Seconds after which the work of a process that died is done by another one.
LEASE = "5"


class Hall(Together):
    """`with Hall(...)` runs them all; with `crowd`, also players and viewers."""

    def __init__(self, folder: Path, settings: Mapping[str, str], tell: Tell, *, crowd: bool = False) -> None:
        self.folder = folder
        port, firebase_port = wanted_port({**os.environ, **settings}, "ARCADE_PORT"), free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.firebase_url = f"http://127.0.0.1:{firebase_port}"
        file = f"sqlite:///{folder}/arcade.db"
        usual = {
            "GOATHERD_BROKER_URL": file,
            "GOATHERD_EVENTS_URL": file,
            "GOATHERD_LANES_URL": file,
            "GOATHERD_RECORDS_URL": file,
            "GOATHERD_LEASE": LEASE,
            # Whoever ends this does not want to wait long.
            "GOATHERD_GRACE_PERIOD": "5",
            "ARCADE_DATABASE_URL": f"sqlite:///{folder}/game.db",
            "ARCADE_FIREBASE_URL": self.firebase_url,
        }
        more = {"ARCADE_PORT": port, "ARCADE_URL": self.url, "PYTHONUNBUFFERED": "1"}
        self.environment = {**usual, **os.environ, **settings, **more}
        self.firebase_url = self.environment["ARCADE_FIREBASE_URL"]
        self.firebase = Program("firebase", _double(firebase_port), "Serving on", self.environment, tell)
        self.batch = tuple(self._batch(number, tell) for number in ("1", "2"))
        self.api = Program("api", ["-m", "examples.arcade.api"], "Serving on", self.environment, tell)
        self.crowd = Program("crowd", ["-m", "examples.arcade.crowd"], "They wait", self.environment, tell)
        self.programs = (self.firebase, *self.batch, self.api, *([self.crowd] if crowd else []))

    def _batch(self, number: str, tell: Tell) -> Program:
        arguments = ["-m", "goatherd", "run", APP, "--roles", "worker,scheduler"]
        environment = {**self.environment, "ARCADE_WORKER": number}
        return Program(f"batch {number}", arguments, "Taking jobs from", environment, tell)


def _double(port: str) -> list[str]:
    return ["-m", "examples.arcade.firebase_double", "--port", port]
