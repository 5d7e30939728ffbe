"""A broker that is short of memory takes no jobs, says so, and is worked off all the same."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from goatherd import Goatherd, Unavailable
from goatherd.adapters.rabbitmq import link
from goatherd.cli.checks import examine
from scripts.servers.rabbitmq import RabbitMQ
from tests.faults.watching import until

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("harmed broker")]

PUBLISH_DEADLINE = 2.0


@pytest.fixture
async def app(amqp_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Goatherd]:
    # Probes that a blocked broker cannot answer come often here.
    monkeypatch.setattr(link, "PROBE_EVERY", 0.3)
    monkeypatch.setattr(link, "PROBE_DEADLINE", 1.0)
    app = Goatherd("blocked", broker_url=amqp_url, publish_deadline=PUBLISH_DEADLINE)

    @app.task
    async def work(number: int) -> None: ...

    async with app:
        yield app


@pytest.fixture
def watermark(rabbitmq: RabbitMQ) -> Iterator[None]:
    yield
    rabbitmq.control("set_vm_memory_high_watermark", "0.4")


@pytest.mark.timeout(120)
@pytest.mark.usefixtures("watermark")
async def test_a_blocked_broker_is_told_worked_off_and_waited_out(rabbitmq: RabbitMQ, app: Goatherd) -> None:
    work = app.tasks["work"]
    broker = app.session().ports.broker
    await app.send_many(work.job(number) for number in range(20))
    generation = broker.link.generation  # type: ignore[attr-defined]  # RabbitMQ's

    await asyncio.to_thread(rabbitmq.control, "set_vm_memory_high_watermark", "0.0000001")
    with pytest.raises(Unavailable, match=r"the broker is blocked.*memory"):
        await work.send(1)
    assert broker.state == "blocked"
    health = await app.health()
    assert not health.ready
    assert "blocked" in str(health)
    [store] = [check async for check in examine(app, "blocked:app") if check.name == "store"]
    assert (store.state, "takes no messages: low on memory" in store.found) == ("wrong", True)

    # A worker can start and work off what is there; its acks go over a connection that publishes nothing.
    async with app.serve("worker"):

        async def nothing_waits() -> bool:
            return not any(queue.ready for queue in await app.session().ports.operations.queues())

        await until(nothing_waits, "the backlog to be worked off")
    with pytest.raises(Unavailable, match="blocked"):
        await work.send(2)
    assert broker.link.generation == generation, "a blocked broker is not a lost one"  # type: ignore[attr-defined]

    await asyncio.to_thread(rabbitmq.control, "set_vm_memory_high_watermark", "0.4")
    await until(lambda: broker.state == "up", "the broker to take messages again")
    await work.send(3)
