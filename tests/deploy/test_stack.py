"""The programs of the Compose file do together what they are there for, and end when they are told to."""

import asyncio
import json
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import quote, urlencode
from uuid import uuid4

import pytest

from examples.arcade.database.tables import game_at
from goatherd.adapters.rabbitmq.address import read_address
from goatherd.model.job_record import JobRecord
from goatherd.model.settings import Settings
from goatherd.model.stream_token import sign
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites.receiver import eventually
from goatherd.wiring import open_history
from scripts.servers.addresses import management
from tests.deploy.commands import HEALTH, options_of
from tests.deploy.manifests import container, of_kind
from tests.deploy.places import APP, ROLES, TOPOLOGY
from tests.deploy.stack import PATIENCE, PROGRAMS, Stack

pytestmark = [
    pytest.mark.servers("rabbitmq", "redis", "postgres"),
    pytest.mark.xdist_group("arcade servers"),
    pytest.mark.timeout(240),
]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("stack")) as opened:
        yield opened


def beside() -> dict[str, str]:
    """Where the management API is, which in containers is beside the broker."""
    return {"GOATHERD_MANAGEMENT_URL": management().url}


def asked(port: int, method: str, path: str, body: object = None, token: str = "") -> tuple[int, str]:
    """What is answered; a stream is read to its end."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def test_api_scheduler_and_worker_do_what_is_asked_for(stack: Stack) -> None:
    gifts = [{"giftId": str(uuid4()), "streamerId": "aiko", "bcoin": coins} for coins in (5, 7)]
    assert asked(stack.port("8000"), "POST", "/api/v1/gifts", gifts) == (202, '{"accepted":2}')

    async def total() -> int:
        game = game_at(stack.servers["ARCADE_DATABASE_URL"])
        await game.open()
        try:

            async def applied() -> int | None:
                [(coins,)] = await game.read("SELECT coalesce(sum(total), 0) FROM gift_total")
                return int(coins) if coins >= 12 else None

            return await eventually(applied, "the gifts to be applied")
        finally:
            await game.close()

    assert asyncio.run(total()) == 12


def test_gateway_and_router_tell_what_became_of_a_tick(stack: Stack) -> None:
    environment = stack.environment("gateway")
    fired = json.loads(stack.do(["goatherd", "schedules", "trigger", APP, "clean_up", "--json"], "scheduler"))
    tick = fired["firing"]["id"]
    token = sign(environment["GOATHERD_SECRET"], "arcade", tick, "an operator", time.time() + 600)
    path = f"/api/v1/arcade/{quote(tick, safe='')}/events"
    until = time.monotonic() + PATIENCE
    while (seen := asked(stack.port("8001"), "GET", path, token=token))[0] == 404:
        assert time.monotonic() < until, seen
        time.sleep(0.1)
    assert seen[0] == 200, seen
    assert "\nevent: done\n" in seen[1], seen[1]
    assert asyncio.run(on_record(stack, tick)).state.status == "done"


async def on_record(stack: Stack, job: str) -> JobRecord:
    """What the router wrote."""
    url = stack.servers["ARCADE_DATABASE_URL"]
    settings = Settings(
        app="arcade", broker_url=stack.servers["ARCADE_RABBITMQ_URL"], default_queue="arcade", records_url=url
    )
    history = await open_history(settings, SystemClock())

    async def found() -> JobRecord | None:
        record = await history.find(job)
        return record if record is not None and record.state.closed else None

    try:
        return await eventually(found, f"{job} to be on record")
    finally:
        await history.close()


def test_the_broker_has_what_the_resources_of_its_operator_say(stack: Stack) -> None:
    compare = ["goatherd", "topology", "diff", APP, str(TOPOLOGY), "--live", "--vhost", "/"]
    assert stack.do(compare, "worker", beside()).startswith("No drift: ")


def test_the_doctor_finds_nothing_that_does_not_work(stack: Stack) -> None:
    """As the docs say to ask it in a container."""
    checks = json.loads(stack.do(["goatherd", "doctor", APP, "--json"], "worker", beside()))["checks"]
    states = {(check["name"], check["state"]) for check in checks}
    assert states >= {(name, "well") for name in ("redis", "postgresql", "broker", "topology", "schedules", "lanes")}, (
        checks
    )
    assert not {name for name, state in states if state == "wrong"}


@pytest.mark.parametrize("probe", ["startupProbe", "livenessProbe", "readinessProbe"])
def test_what_kubernetes_asks_is_answered(stack: Stack, probe: str) -> None:
    for name in (*ROLES, "api"):
        asks = container(name)[probe]["httpGet"]
        [inside] = [str(port["containerPort"]) for port in container(name)["ports"] if port["name"] == asks["port"]]
        status, told = asked(stack.port(inside, name), "GET", asks["path"])
        assert status == 200, f"{name} {asks['path']}: {told}"


def test_the_broker_finds_the_queues_that_workers_are_scaled_by(stack: Stack) -> None:
    """The question that KEDA asks of its management API: the broker reads the pattern, not Python."""
    [trigger] = of_kind("ScaledObject")["arcade-worker"]["spec"]["triggers"]
    where = quote(read_address(stack.servers["ARCADE_RABBITMQ_URL"]).virtual_host, safe="")
    pattern, size = (trigger["metadata"][each] for each in ("queueName", "pageSize"))
    question = {"page": 1, "use_regex": "true", "pagination": "false", "name": pattern, "page_size": size}
    told = management().ask("GET", f"queues/{where}?{urlencode(question)}")
    counted = {each["name"] for each in told["items"]}
    taken_from = {each["name"] for each in management().ask("GET", f"queues/{where}") if each.get("consumers")}
    # Others are of one process only.
    assert [name for name in taken_from - counted if not name.startswith(("arcade.reply.v1.", "amq.gen-"))] == []
    assert len(counted) > 5
    assert not [name for name in counted if ".hold.v1." in name or name == "arcade.dead.v1"]


@pytest.mark.parametrize("role", ["worker", "scheduler", "router"])
def test_every_role_can_be_asked_how_it_is(role: str) -> None:
    assert options_of(role) >= set(HEALTH)


def test_all_end_in_good_order_when_they_are_told_to(stack: Stack) -> None:
    codes = {name: stack.stop(name) for name in PROGRAMS}
    # The web server of the API ends by the signal itself, once it is done.
    assert codes == dict.fromkeys(PROGRAMS, 0) | {"api": -signal.SIGTERM}
