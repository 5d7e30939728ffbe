"""What the adapter does when its own work fails half-way: try again, and count nothing twice."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import apsw
import pytest

from goatherd.adapters.sqlite import consumer
from goatherd.adapters.sqlite.broker import SqliteBroker
from goatherd.adapters.sqlite.presence import Presence
from goatherd.adapters.sqlite.requests import Request
from goatherd.errors import Unavailable
from goatherd.testing.suites.receiver import eventually, message, receiving
from goatherd.wiring import Ports
from tests.unit.adapters.sqlite.clients import QUEUE, client
from tests.unit.adapters.sqlite.test_group_commit import Hold


def failing_once(method: Callable[..., Awaitable[None]]) -> tuple[Callable[..., Awaitable[None]], list[str]]:
    told: list[str] = []

    async def fail_first(self: Presence, queues: Sequence[int]) -> None:
        told.append(str(self.id))
        if len(told) == 1:
            raise Unavailable("no room")
        await method(self, queues)

    return fail_first, told


def evict_everybody(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(5000)
    connection.execute("UPDATE job SET owner = NULL; DELETE FROM subscription; DELETE FROM worker")
    connection.close()


async def workers_left(ports: Ports) -> None:
    async def one() -> bool | None:
        return len(await ports.workers.workers()) == 1 or None

    await eventually(one, "a single worker")


async def test_a_worker_that_cannot_come_back_at_once_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client(tmp_path / "jobs.db") as ports:
        received = await receiving(ports, QUEUE)
        fail_first, tries = failing_once(Presence.join)
        monkeypatch.setattr(Presence, "join", fail_first)
        evict_everybody(tmp_path / "jobs.db")
        await ports.broker.publish([message(QUEUE)])
        await received.next()
        assert len(tries) == 2
        assert ports.broker.state == "up"


async def test_a_worker_that_came_back_is_rung_for_its_queues(tmp_path: Path) -> None:
    async with client(tmp_path / "jobs.db") as ports:
        received = await receiving(ports, QUEUE)
        evict_everybody(tmp_path / "jobs.db")
        await ports.broker.publish([message(QUEUE)])
        await received.next()
        [worker] = await ports.workers.workers()
        assert worker.queues == [QUEUE]


async def test_code_that_began_under_an_old_id_ends_without_harm(tmp_path: Path) -> None:
    async with client(tmp_path / "jobs.db") as ports:
        received = await receiving(ports, QUEUE)
        await ports.broker.publish([message(QUEUE, b"old")])
        old = await received.next()
        ports.broker.begin(old)
        evict_everybody(tmp_path / "jobs.db")
        await ports.broker.publish([message(QUEUE, b"new")])
        again, new = await received.take(2)
        assert sorted([again.message.body, new.message.body]) == [b"new", b"old"]
        ports.broker.begin(new)
        ports.broker.end(old)
        ports.broker.ack(old)
        async with client(tmp_path / "jobs.db") as other:
            taken = await receiving(other, QUEUE)
            await ports.vanish()
            deaths = {delivery.message.body: delivery.deaths for delivery in await taken.take(2)}
        assert deaths == {b"old": 0, b"new": 1}


async def test_a_look_that_fails_does_not_end_the_looking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = asyncio.Event()
    loop = asyncio.get_running_loop()
    version = consumer._version

    def fail_once(connection: apsw.Connection) -> tuple[int, int]:
        if not looked.is_set():
            loop.call_soon_threadsafe(looked.set)
            raise apsw.IOError("the disk hiccuped")
        return version(connection)

    async with client(tmp_path / "jobs.db") as ports:
        received = await receiving(ports, QUEUE)
        monkeypatch.setattr(consumer, "_version", fail_once)
        await looked.wait()
        await ports.broker.publish([message(QUEUE)])
        await received.next()


async def test_a_death_is_counted_once_though_the_transaction_is_tried_twice(tmp_path: Path) -> None:
    def fail(_: apsw.Connection) -> None:
        raise ValueError("a neighbour in the same transaction")

    async with client(tmp_path / "jobs.db") as victim, client(tmp_path / "jobs.db") as other:
        await victim.broker.publish([message(QUEUE)])
        victim.broker.begin(await (await receiving(victim, QUEUE)).next())
        received = await receiving(other, QUEUE)
        assert isinstance(other.broker, SqliteBroker)
        presence, database = other.broker._presence, other.broker._database
        await victim.vanish()
        hold = Hold(database)
        # The writer holds still, so its connection may be used here; what is asked meanwhile is one transaction.
        assert database._connection is not None
        presence._look_for_the_dead(database._connection)
        database.post(Request(fail, writes=True))
        hold.release()
        assert (await received.next()).deaths == 1
        await workers_left(other)
