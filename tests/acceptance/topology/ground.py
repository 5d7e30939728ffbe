"""A virtual host that somebody else has set up, and the commands and programs of the chat on it."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pika

from goatherd.model.blueprint import Blueprint
from goatherd.model.definitions_json import read_definitions
from scripts.servers.addresses import amqp_url, management, old_taskiq
from scripts.servers.management import Management, with_virtual_host
from scripts.servers.rabbitmq import RabbitMQ

TOP = Path(__file__).parents[3]
#: The chat, as operators name it to `goatherd topology`.
CHAT = "examples.chat.worker.service:chat"
TOPOLOGY = [sys.executable, "-m", "goatherd", "topology"]
APPLY = [*TOPOLOGY, "apply", CHAT, "--yes"]
#: Such a program also waits for what is away as long as it may take on a busy machine.
MAKES_NOTHING = {"GOATHERD_DECLARE": "never", "GOATHERD_PUBLISH_DEADLINE": "60"}
#: Seconds for one command, and for the broker to notice something.
PATIENCE = 120.0


class Ground:
    """One virtual host, on the broker that all tests share or on another; `folder` gets the chat's files."""

    def __init__(self, virtual_host: str, folder: Path, broker: RabbitMQ | None = None) -> None:
        self.virtual_host = virtual_host
        self.url = with_virtual_host(amqp_url() if broker is None else broker.url, virtual_host)
        self._operator = management() if broker is None else Management(broker.management_url)
        self._folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GOATHERD_", "CHAT_"))}
        self.environment = {
            **kept,
            "CHAT_RABBITMQ_URL": self.url,
            "CHAT_HISTORY": str(folder / "history.db"),
            "CHAT_LIBRARY": str(folder / "library.db"),
            "CHAT_PAUSE": "0",
            "GOATHERD_MANAGEMENT_URL": self._operator.url,
            "GOATHERD_EVENTS_URL": f"sqlite:///{folder}/chat.db",
            "GOATHERD_RECORDS_URL": f"sqlite:///{folder}/chat.db",
            "GOATHERD_DECLARE": "check",
            "NO_COLOR": "1",
        }

    def let_old_taskiq_in(self, count: int) -> list[str]:
        """TaskIQ 0.4.4 starts, sends messages and ends; their ids."""
        return self._taskiq(old_taskiq(), "old_taskiq.py", count)

    def let_new_taskiq_in(self, count: int) -> list[str]:
        """The same with the TaskIQ of today."""
        return self._taskiq(sys.executable, "new_taskiq.py", count)

    def _taskiq(self, python: str, program: str, count: int) -> list[str]:
        script = Path(__file__).with_name(program)
        told = self._run([python, str(script), self.url, str(count)])
        self._wait_until_alone()
        return told.split()

    def _wait_until_alone(self) -> None:
        """The broker lists connections for a moment after they are closed."""
        until = time.monotonic() + PATIENCE
        while self._operator.connections(self.virtual_host):
            assert time.monotonic() < until, "TaskIQ is still connected"
            time.sleep(0.05)

    def plan(self, *, code: int) -> list[dict[str, Any]]:
        """What differs, as programs are told."""
        told = json.loads(self._run([*TOPOLOGY, "plan", CHAT, "--json"], code))
        differences: list[dict[str, Any]] = told["differences"]
        return differences

    def apply(self) -> None:
        """As an operator does who has read the plan."""
        self._run(APPLY)

    def apply_and_die(self, seconds: float) -> bool:
        """The same, but it is killed after so long; whether it was still at work."""
        try:
            subprocess.run(APPLY, cwd=TOP, env=self.environment, capture_output=True, check=False, timeout=seconds)
        except subprocess.TimeoutExpired:
            # By then it is dead.
            return True
        return False

    def program(self, name: str) -> str:
        """What one of the programs beside this says."""
        return self._run([sys.executable, "-m", f"tests.acceptance.topology.{name}"])

    def _run(self, command: list[str], code: int = 0) -> str:
        done = subprocess.run(
            command, cwd=TOP, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == code, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def live(self) -> Blueprint:
        """All that is there."""
        return live_on(self._operator, self.virtual_host)

    def take_all(self) -> Counter[str]:
        """Take everything from the chat's queue; how often each message was there."""
        return take_all(self.url, "chat.process")

    @contextmanager
    def publishing(self, waiting: int, rate: float) -> Iterator["Publishing"]:
        """The chat's publisher in a process of its own, when as many messages wait as it shall send at first."""
        file = self._folder / "published"
        with self._beside(f"waiting: {waiting}\n", "publisher", str(waiting), str(rate), str(file)) as process:
            yield Publishing(process, file)

    @contextmanager
    def taking(self) -> Iterator[Path]:
        """A worker of the chat in a process of its own, and the file with the ids of what it took."""
        file = self._folder / "taken"
        file.touch()
        with self._beside("taking\n", "taker", str(file)):
            yield file

    @contextmanager
    def _beside(self, ready: str, program: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
        process = subprocess.Popen(
            [sys.executable, "-m", f"tests.acceptance.topology.{program}", *arguments], cwd=TOP,
            env=self.environment | MAKES_NOTHING, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == ready, f"the {program} ended"
            yield process
        finally:
            process.kill()
            process.communicate(timeout=PATIENCE)


class Publishing:
    """The publisher, while it publishes."""

    def __init__(self, process: subprocess.Popen[str], file: Path) -> None:
        self._process = process
        self._file = file

    def end(self) -> tuple[list[str], list[str]]:
        """Let it end in good order: the ids of what was accepted, and what was said where that was not."""
        told, _ = self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0, told
        lines = self._file.read_text().splitlines()
        # What an error says is more than one word.
        return [line for line in lines if " " not in line], [line for line in lines if " " in line]


def live_on(operator: Management, virtual_host: str) -> Blueprint:
    """All that is in a virtual host, as the broker itself writes it down."""
    told = operator.ask("GET", f"definitions/{quote(virtual_host, safe='')}")
    return read_definitions(json.dumps(told), vhost=virtual_host).of(virtual_host)


def take_all(url: str, queue: str) -> Counter[str]:
    """Take everything from a queue that nobody publishes to; how often each message was there."""
    found: Counter[str] = Counter()
    with pika.BlockingConnection(pika.URLParameters(url)) as connection:
        channel = connection.channel()
        while count := channel.queue_declare(queue, passive=True).method.message_count:
            for _, properties, _ in islice(channel.consume(queue, auto_ack=True), count):
                found[properties.headers["task_id"]] += 1
            channel.cancel()
    return found
