"""Conditions that only a broker on the network has."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd import Goatherd
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.acceptance.alerts.pager import Pager, watched
from tests.interop.pika_program import PikaProgram

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("rabbitmq")]


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("GOATHERD_MANAGEMENT_URL", management().url)
    with management().virtual_host() as name:
        yield with_virtual_host(amqp_url(), name)


def on_broker(folder: Path, url: str, pager: Pager, **settings: object) -> Goatherd:
    return watched(folder, pager, broker_url=url, records_url=f"sqlite:///{folder}/records.db", **settings)


async def test_a_broker_that_somebody_changed(tmp_path: Path, url: str, pager: Pager) -> None:
    app = on_broker(tmp_path, url, pager, drift_every=0.2)
    app.queue("orders", type="classic")

    @app.task(queue="orders")
    async def cook() -> None: ...

    async with app.serve("scheduler"):
        with PikaProgram(url) as somebody:
            somebody.channel.queue_delete("orders")
        alert = await pager.told("drift")
        assert (alert["subject"], "(1 create, 1 bind)" in alert["message"]) == ("shop", True)
        with PikaProgram(url) as somebody:
            somebody.channel.queue_declare("orders", durable=True)
            somebody.channel.queue_bind("orders", "shop.due.v1", "*.orders")
        await pager.told("drift", "resolved")


async def test_a_listener_whose_queue_is_another(tmp_path: Path, url: str, pager: Pager) -> None:
    app = on_broker(tmp_path, url, pager)

    async def matches() -> list[int]:
        return [1, 2]

    @app.listeners("match-{}", matches)
    async def play(match: int) -> None: ...

    with PikaProgram(url) as somebody:
        somebody.channel.queue_declare("match-1", durable=True, arguments={"x-max-length": 3})
    async with app.serve("worker", "scheduler"):
        alert = await pager.told("listener")
    assert alert["subject"] == "match-{}"
    assert alert["message"].startswith("match-1 is ")


async def test_a_queue_that_nobody_works_on_and_its_dead_letters(tmp_path: Path, url: str, pager: Pager) -> None:
    app = on_broker(tmp_path, url, pager, alert_lag=0.3)

    @app.task
    async def fail() -> None:
        raise RuntimeError("no")

    async with app.serve("scheduler"):
        await fail.send()
        alert = await pager.told("lag")
        # The management API tells of what came in after some seconds; until then it is only known that something waits.
        assert alert["message"].startswith(
            ("1 job waits, and it has not been empty for", "1 job waits, the oldest for")
        )
        async with app.serve("worker"):
            await pager.told("lag", "resolved")
            assert (await pager.told("dead_letters"))["subject"] == "shop"
