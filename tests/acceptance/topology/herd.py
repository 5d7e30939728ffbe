"""A small app of its own, the virtual host that it wants, and `goatherd topology` as operators have it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from goatherd.cli.main import run
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host

#: Seconds for one command.
PATIENCE = 60.0

APP = r"""
from goatherd import Goatherd

app = Goatherd("herd")
herding = app.queue("goats", exchange="meadow", ttl=3600, dead_letter=("pit", "goats.dead"))
app.topology.exchange("meadow", "direct")
app.topology.exchange("pit", "direct")
app.topology.policy("limits", r"^kids\.", {"max-length": 100_000}, apply_to="queues")


@app.task(queue=herding)
async def cross(goat: str) -> None: ...
"""


class Told(NamedTuple):
    """What a command wrote."""

    out: str
    err: str


class Herd:
    """The app and its virtual host."""

    def __init__(self, folder: Path, virtual_host: str, capture: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.virtual_host = virtual_host
        self._capture = capture
        self._environment = {
            "GOATHERD_BROKER_URL": with_virtual_host(amqp_url(), virtual_host),
            "GOATHERD_MANAGEMENT_URL": management().url,
            "NO_COLOR": "1",
        }
        (folder / "herd.py").write_text(APP, encoding="utf-8")

    def run(self, *arguments: str, code: int = 0, typed: str = "", **environment: str) -> Told:
        """Run a command to its end and check its exit code; in this process, because a new one takes its time."""
        self._capture.readouterr()
        with self._as_in_a_new_process(environment, typed) as patch:
            patch.delitem(sys.modules, "herd", raising=False)
            ended = run(list(arguments))
            patch.delitem(sys.modules, "herd", raising=False)
        told = self._capture.readouterr()
        assert ended == code, f"exit code {ended}\n{told.out}\n{told.err}"
        return Told(told.out, told.err)

    def topology(self, command: str, *arguments: str, code: int = 0, typed: str = "", **environment: str) -> Told:
        """One of the commands about the topology of the app."""
        return self.run("topology", command, "herd:app", *arguments, code=code, typed=typed, **environment)

    def json(self, command: str, *arguments: str, code: int = 0, typed: str = "", **environment: str) -> Any:
        """What it tells programs."""
        return json.loads(self.topology(command, *arguments, "--json", code=code, typed=typed, **environment).out)

    def in_a_process(self, *arguments: str) -> int:
        """The exit code of a command that is run as users do."""
        return subprocess.run(
            [sys.executable, "-m", "goatherd", *arguments],
            cwd=self.folder, env=self._whole({}), stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False,
        ).returncode  # fmt: skip

    @contextmanager
    def _as_in_a_new_process(self, environment: dict[str, str], typed: str) -> Iterator[pytest.MonkeyPatch]:
        with pytest.MonkeyPatch.context() as patch:
            for name in os.environ.keys() - self._whole(environment).keys():
                patch.delenv(name)
            for name, value in self._whole(environment).items():
                patch.setenv(name, value)
            patch.chdir(self.folder)
            patch.setattr(sys, "path", [str(self.folder), *sys.path])
            patch.setattr(sys, "stdin", StringIO(typed))
            yield patch

    def _whole(self, environment: dict[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GOATHERD_", "COLUMNS"))}
        return kept | self._environment | environment

    def make(self, kind: str, name: str, **described: Any) -> None:
        """Have somebody else make a queue, an exchange or a policy."""
        management().ask("PUT", f"{kind}/{self.virtual_host}/{name}", described)

    def bind(self, source: str, queue: str, key: str) -> None:
        """Have somebody else bind a queue."""
        path = f"bindings/{self.virtual_host}/e/{source}/q/{queue}"
        management().ask("POST", path, {"routing_key": key, "arguments": {}})

    def send(self, count: int) -> None:
        """Send jobs as the app does that makes nothing: nobody else is connected, for whom a plan would fear."""
        for number in range(count):
            self.run("send", "herd:app", "cross", f"goat={number}", GOATHERD_DECLARE="never")

    def publish(self, queue: str, count: int) -> None:
        """Let messages wait in a queue."""
        message = {"routing_key": queue, "payload": "{}", "payload_encoding": "string", "properties": {}}
        for _ in range(count):
            told = management().ask("POST", f"exchanges/{self.virtual_host}/amq.default/publish", message)
            assert told == {"routed": True}

    def waiting(self, queue: str) -> int:
        """Take all that waits in a queue; how many that were."""
        wish = {"count": 1000, "ackmode": "ack_requeue_false", "encoding": "auto"}
        return len(management().ask("POST", f"queues/{self.virtual_host}/{queue}/get", wish))
