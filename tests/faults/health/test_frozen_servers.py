"""A server that stops in its tracks makes every role that uses it unready, with the reason, until it goes on."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from scripts.servers.ports import free_ports
from scripts.servers.postgres import Postgres
from scripts.servers.private import PrivateServer
from scripts.servers.rabbitmq import RabbitMQ
from scripts.servers.redis import Redis, ensure_redis
from tests.acceptance.asking import asked, until
from tests.acceptance.cli.stage import GOATHERD, Running

pytestmark = [
    pytest.mark.servers("rabbitmq", "redis", "postgres"),
    pytest.mark.xdist_group("harmed broker"),
    pytest.mark.timeout(300),
]

#: Seconds within which a frozen server must be noticed, and those in which all must be well again.
NOTICED_WITHIN, WELL_WITHIN = 20.0, 90.0
#: What each role uses, by server.
USED = {
    "broker": {"worker": {"broker"}, "scheduler": {"broker"}, "router": {"broker"}, "gateway": set()},
    "redis": {
        "worker": {"lanes", "events"}, "scheduler": {"lanes"}, "router": {"events"}, "gateway": {"events"},
    },
    "postgres": {"worker": {"records"}, "scheduler": {"records"}, "router": {"records"}, "gateway": set()},
}  # fmt: skip
ROLES = ("worker", "scheduler", "router", "gateway")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    ensure_redis()
    with Redis(tmp_path / "redis") as server:
        yield server
        server.thaw()


@pytest.fixture
def servers(rabbitmq: RabbitMQ, redis: Redis, own_postgres: Postgres) -> Mapping[str, PrivateServer]:
    return {"broker": rabbitmq, "redis": redis, "postgres": own_postgres}


@pytest.fixture
def ports(amqp_url: str, redis: Redis, own_postgres: Postgres, tmp_path: Path) -> Iterator[dict[str, int]]:
    """Each role as a process, and where it says how it is."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOATHERD_")}
    environment = {
        **kept, "PYTHONPATH": str(Path(__file__).parent), "GOATHERD_BROKER_URL": amqp_url,
        "GOATHERD_LANES_URL": redis.url, "GOATHERD_EVENTS_URL": redis.url, "GOATHERD_RECORDS_URL": own_postgres.url,
        "GOATHERD_SECRET": "a secret for this test",
    }  # fmt: skip
    found = dict(zip(ROLES, free_ports(len(ROLES)), strict=True))
    with ExitStack() as life:
        for role, port in found.items():
            option = "--port" if role == "gateway" else "--health-port"
            running = Running([*GOATHERD, role, "shop:app", option, str(port)], tmp_path, environment)
            life.callback(running.close)
        for role, port in found.items():
            until(port, lambda told: told["ready"], f"the {role} to be ready", WELL_WITHIN)
        yield found


def test_a_frozen_server_is_noticed_and_waited_out(servers: Mapping[str, PrivateServer], ports: dict[str, int]) -> None:
    for name, server in servers.items():
        frozen(name, server, ports)


def frozen(name: str, server: PrivateServer, ports: dict[str, int]) -> None:
    """Freeze it, and let it go on when everybody has noticed."""
    uses = {role: used for role, used in USED[name].items() if used}
    server.freeze()
    try:
        began = time.monotonic()
        for role, used in uses.items():
            told = until(ports[role], lambda told: not told["ready"], f"the {role} to miss {name}", NOTICED_WITHIN)
            assert time.monotonic() - began < NOTICED_WITHIN
            down = {port for port, state in told["ports"].items() if state != "up"}
            assert down == used, (role, told)
            assert {reason.partition(": ")[0] for reason in told["reasons"]} >= used, (role, told)
        for role, port in ports.items():
            # It is no reason to start anything anew.
            assert asked(port, "/livez")[0] == 200, role
            if role not in uses:
                assert asked(port, "/readyz")[0] == 200, role
    finally:
        server.thaw()
    for role, port in ports.items():
        told = until(port, lambda told: told["ready"], f"the {role} to have {name} again", WELL_WITHIN)
        assert set(told["ports"].values()) == {"up"}, (role, told)
