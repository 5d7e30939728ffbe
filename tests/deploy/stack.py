"""The services of the Compose file as processes of this machine, with the very command lines and variables."""

import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from scripts.servers.ports import free_ports
from scripts.servers.redis import Redis
from tests.acceptance.cli.stage import Running
from tests.acceptance.comments.own_database import own_database
from tests.deploy.commands import at_home, has_health
from tests.deploy.composed import services
from tests.deploy.dockerfile import exec_form, last_said
from tests.deploy.places import DEPLOY, TOP
from tests.docs.story import user_environment

#: Seconds that anything may take.
PATIENCE = 50.0
PORTS = ("8000", "8001", "9099", "9464")
#: Those that go on, in the order in which Compose would start them.
PROGRAMS = ("firebase", "worker", "scheduler", "router", "gateway", "api")
#: What each says when it has begun.
READY = {
    "firebase": "Serving on", "worker": "Taking jobs from", "scheduler": "Schedules: ", "router": "Events of app",
    "gateway": "Streams at", "api": "Serving on",
}  # fmt: skip


class Stack:
    """`with Stack(folder)` has all of them; each service has ports of its own, as if it were in a container."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._life = ExitStack()
        self._services = services()
        self._ports: dict[str, dict[str, int]] = {}
        self.running: dict[str, Running] = {}
        self.servers: dict[str, str] = {}

    def __enter__(self) -> "Stack":
        with ExitStack() as life:
            self._open(life)
            self._life = life.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._life.close()

    def port(self, container_port: str, name: str = "api") -> int:
        """Where a port of a service is; but for the one for health, all know all of them."""
        return self._ports[name][container_port]

    def environment(self, name: str) -> dict[str, str]:
        """Of a service: a container's is empty but for what the file says."""
        told = self._services[name].get("environment", {})
        own = {variable: at_home(value, self._ports[name]) for variable, value in told.items()}
        return {**user_environment(), **own, **(self.servers if "ARCADE_DATABASE_URL" in own else {})}

    def run(self, name: str) -> str:
        """A service that ends by itself; what it said."""
        return self.do(self._services[name]["command"], name)

    def do(self, command: list[str], name: str, more: Mapping[str, str] | None = None) -> str:
        """A command in the environment of a service; what it said."""
        environment = self.environment(name) | dict(more or {})
        ended = subprocess.run(
            command, cwd=TOP, env=environment, timeout=PATIENCE, check=False, capture_output=True, text=True
        )
        assert ended.returncode == 0, f"{command} ended with {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def await_well(self, name: str) -> None:
        """Until the image's own check says so."""
        running = self.running[name]
        running.hear(READY[name], PATIENCE)
        if not has_health(self._services[name]["command"]):
            return
        until = time.monotonic() + PATIENCE
        while (said := self._asked(name)) is not None:
            assert time.monotonic() < until, f"{name} is not well: {said}\n{running.heard}"
            assert running.alive, f"{name} has ended\n{running.heard}"

    def stop(self, name: str) -> int:
        """As a container is stopped; the exit code."""
        self.running[name].tell(signal.SIGTERM)
        return self.running[name].end(PATIENCE)

    def _open(self, life: ExitStack) -> None:
        for name in self._services:
            self._ports[name] = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
            shared = self._ports["worker"] if "worker" in self._ports else self._ports[name]
            # In containers everyone has a health port of its own; the others are known to all.
            self._ports[name] |= {port: shared[port] for port in PORTS if port != "9464"}
        virtual_host = life.enter_context(management().virtual_host())
        password = self._services["redis"]["environment"]["REDISCLI_AUTH"]
        redis = life.enter_context(Redis(self._folder / "redis", *self._services["redis"]["command"][1:]))
        self.servers = {
            "ARCADE_RABBITMQ_URL": with_virtual_host(amqp_url(), virtual_host),
            "ARCADE_REDIS_URL": f"redis://:{password}@127.0.0.1:{redis.port}/0",
            "ARCADE_DATABASE_URL": life.enter_context(own_database()),
            # Not to wait for long.
            "JOBS_GIFT_AGGREGATION_FIXEDDELAY": "300",
        }
        assert "schema" in self.run("migrate")
        for name in PROGRAMS:
            command = [at_home(part, self._ports[name]) for part in self._services[name]["command"]]
            self.running[name] = Running(command, TOP, self.environment(name))
            life.callback(self.running[name].close)
        for name in PROGRAMS:
            self.await_well(name)

    def _asked(self, name: str) -> str | None:
        """What the image's check says of a service that is not well."""
        isolated = exec_form(last_said("examples", "HEALTHCHECK"))[1]
        usual = {"HEALTH_URL": f"http://127.0.0.1:{self._ports[name]['9464']}/readyz"}
        asked = subprocess.run(
            [sys.executable, isolated, str(DEPLOY / "healthcheck.py")], env=usual | self.environment(name),
            timeout=PATIENCE, check=False, capture_output=True, text=True,
        )  # fmt: skip
        return asked.stdout + asked.stderr if asked.returncode else None
