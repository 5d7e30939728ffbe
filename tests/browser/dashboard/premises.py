"""The kiosk as it is run: worker, scheduler, router, gateway and dashboard, each a process of the command line."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit
from uuid import uuid4

import psycopg
from playwright.async_api import APIRequestContext

from scripts.servers.addresses import amqp_url, management, postgres_url, redis_url
from scripts.servers.management import with_virtual_host
from tests.acceptance.cli.stage import Running, Stage
from tests.browser.dashboard.site import TOKEN

#: Seconds that a process may take to start on a busy machine.
PATIENCE = 100.0


class Premises:
    """Where the kiosk runs."""

    def __init__(self, stage: Stage, *, on_servers: bool) -> None:
        self._stage = stage
        self.on_servers = on_servers
        self.site = ""

    @property
    def folder(self) -> Path:
        """In which its workers work."""
        return self._stage.folder

    def open(self) -> None:
        """Start all processes."""
        shutil.copy(Path(__file__).with_name("kiosk.py"), self.folder)
        dashboard = self._start("dashboard", "--port", "0")
        others = [self._start(role) for role in ("worker", "scheduler", "router")]
        gateway = self._start("gateway", "--port", "0")
        self.site = dashboard.hear(r"Dashboard at (http://\S+)/", PATIENCE).group(1)
        others[0].hear("Taking jobs", PATIENCE)
        gateway.hear("http://", PATIENCE)

    def _start(self, role: str, *options: str) -> Running:
        return self._stage.start(role, "kiosk:app", *options)

    async def submit(self, asked: APIRequestContext, task: str, verb: str = "start", **arguments: object) -> str:
        """Have the HTTP API send a job; its id."""
        answer = await asked.post(
            f"{self.site}/api/tasks/{quote(task)}/{verb}",
            data={"arguments": arguments},
            headers={"authorization": f"Bearer {TOKEN}"},
        )
        assert answer.status == 202, await answer.text()
        submitted = await answer.json()
        return str(submitted["id"])


@contextmanager
def premises_on(stack: str, folder: Path, bytecode: Path, gate_port: int) -> Iterator[Premises]:
    """All of it, on one file or on three servers."""
    with stores_of(stack) as settings:
        stage = Stage(folder, bytecode)
        stage.environment.update(
            settings,
            KIOSK_GATE=str(gate_port),
            GOATHERD_DASHBOARD_TOKEN=TOKEN,
            GOATHERD_SECRET="a secret of this story",
        )
        premises = Premises(stage, on_servers=stack == "servers")
        try:
            premises.open()
            yield premises
        finally:
            stage.close()


@contextmanager
def stores_of(stack: str) -> Iterator[Mapping[str, str]]:
    """The settings of empty stores."""
    if stack == "sqlite":
        yield {"KIOSK_NAME": "kiosk"}
        return
    name = f"kiosk-{uuid4().hex[:8]}"
    with management().virtual_host() as virtual_host, database(name.replace("-", "_")) as records:
        yield {
            "KIOSK_NAME": name,
            "GOATHERD_BROKER_URL": with_virtual_host(amqp_url(), virtual_host),
            "GOATHERD_LANES_URL": redis_url(),
            "GOATHERD_EVENTS_URL": redis_url(),
            "GOATHERD_RECORDS_URL": records,
        }


@contextmanager
def database(name: str) -> Iterator[str]:
    """An empty one on the PostgreSQL for tests."""
    with psycopg.connect(postgres_url(), autocommit=True) as operator:
        operator.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
        finally:
            operator.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
