"""Rows that want listeners come and go while the app runs under traffic: nothing is lost, and nothing stays behind."""

import asyncio
import gc
import random
from collections import Counter
from pathlib import Path

import pytest

from goatherd import Goatherd, Retry
from goatherd.engine.queue_listener import QueueListener
from scripts.servers.addresses import amqp_url
from scripts.servers.management import with_virtual_host
from tests.unit.listeners.hall import Hall, Wants, listening

#: Rows that come and go.
ROWS = 20

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Goatherd:
    file = f"sqlite:///{tmp_path}/jobs.db"
    if request.param == "sqlite":
        return Goatherd("rows", broker_url=file, retry=Retry(0))
    url = with_virtual_host(amqp_url(), request.getfixturevalue("shared_virtual_host"))
    return Goatherd("rows", broker_url=url, records_url=file, events_url=file, retry=Retry(0))


def alive() -> tuple[int, int]:
    """Asyncio tasks, and listeners that something still refers to."""
    gc.collect()
    return len(asyncio.all_tasks()), sum(isinstance(each, QueueListener) for each in gc.get_objects())


@pytest.mark.parametrize("turns", [15, pytest.param(1000, marks=pytest.mark.chaos)])
@pytest.mark.parametrize("app", ["sqlite", pytest.param("rabbitmq", marks=pytest.mark.servers)], indirect=True)
async def test_rows_come_and_go_under_traffic(app: Goatherd, turns: int) -> None:
    chance = random.Random(turns)
    wants, done = Wants(), Counter[tuple[int, int]]()
    more = asyncio.Event()

    @app.listeners("row-{}", wants.source, format="plain")
    async def work(row: int, number: int) -> None:
        await asyncio.sleep(0)
        done[row, number] += 1
        more.set()

    sent: list[tuple[int, int]] = []

    async def send() -> None:
        while True:
            sent.append((chance.randrange(ROWS), len(sent)))
            await work.send(*sent[-1])

    async with listening(app) as hall:
        await turn(hall, wants, set())
        await turn(hall, wants, set(range(ROWS)))
        before = alive()
        sending = asyncio.create_task(send(), name="traffic")
        for _ in range(turns):
            await turn(hall, wants, {row for row in range(ROWS) if chance.random() < 0.5})
        sending.cancel()
        await asyncio.wait([sending])
        await turn(hall, wants, set(range(ROWS)))
        async with asyncio.timeout(120):
            # The last one was cancelled on its way, and may have been sent or not.
            while not set(sent[:-1]) <= set(done):
                more.clear()
                await more.wait()
            # What was begun last may still be on its way out.
            while any(now > then for now, then in zip(alive(), before, strict=True)):
                await asyncio.sleep(0.05)
        assert set(done) <= set(sent)
        assert sum(done.values()) == len(done), "done once, for nothing was lost on the way"
        assert app.hearing[0].reasons == []


async def turn(hall: Hall, wants: Wants, rows: set[int]) -> None:
    wants.say(*rows)
    await hall.listens_to(*(f"row-{row}" for row in rows))
