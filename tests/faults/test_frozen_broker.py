"""A broker that stops in its tracks is noticed, and what is sent meanwhile ends in time."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from goatherd import Goatherd, Unavailable
from scripts.servers.rabbitmq import RabbitMQ
from tests.faults.watching import until

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("harmed broker")]

#: Seconds within which a frozen broker must be noticed.
NOTICED_WITHIN = 20.0
PUBLISH_DEADLINE = 3.0


@pytest.fixture
async def done() -> "asyncio.Queue[int]":
    return asyncio.Queue()


@pytest.fixture
async def app(amqp_url: str, done: "asyncio.Queue[int]") -> AsyncIterator[Goatherd]:
    app = Goatherd("frozen", broker_url=amqp_url, publish_deadline=PUBLISH_DEADLINE)

    @app.task
    async def work(number: int) -> None:
        done.put_nowait(number)

    async with app.serve("worker"):
        yield app


@pytest.mark.timeout(120)
async def test_a_frozen_broker_is_noticed_and_waited_out(
    rabbitmq: RabbitMQ, app: Goatherd, done: "asyncio.Queue[int]"
) -> None:
    work = app.tasks["work"]
    broker = app.session().ports.broker
    await work.send(1)
    assert await asyncio.wait_for(done.get(), 10) == 1

    rabbitmq.freeze()
    sent, frozen = time.monotonic(), time.monotonic()
    # Several at once, some delayed: each must end as Unavailable, none as cancelled and none never.
    tries = [work.send(2), work.options(delay=5).send(3), app.send_many([work.job(4), work.job(5)])]
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * len(tries)
    assert time.monotonic() - sent < PUBLISH_DEADLINE + 2
    assert all("Try again" in str(outcome) or "try again" in str(outcome) for outcome in outcomes)
    await until(lambda: broker.state != "up", "the link to notice", patience=NOTICED_WITHIN + 5)
    assert time.monotonic() - frozen < NOTICED_WITHIN
    assert not (await asyncio.wait_for(app.health(), 30)).ready

    rabbitmq.thaw()
    await until(lambda: broker.state == "up", "the link to come back", patience=60)
    await work.send(6)
    seen = set()
    while 6 not in seen:
        seen.add(await asyncio.wait_for(done.get(), 30))
    # What was refused is of unknown outcome: it may have been taken after all, but nothing else may appear.
    assert seen <= {1, 2, 4, 5, 6}
