"""Thousands of queues in one process: taken from by one loop, begun and ended in a few transactions."""

import asyncio
import time
from pathlib import Path

import apsw
import pytest

from goatherd.adapters.sqlite import consumer
from goatherd.adapters.sqlite.broker import SqliteBroker
from goatherd.adapters.sqlite.claims import FEW
from goatherd.adapters.sqlite.held import Held
from goatherd.adapters.sqlite.queries import _STATEMENTS
from goatherd.errors import Unavailable
from goatherd.model.topology import Queue
from goatherd.testing.suites.receiver import Receiver, message
from tests.unit.adapters.sqlite.clients import client

MANY = 10 * FEW


async def test_many_queues_are_begun_taken_from_and_ended_together(tmp_path: Path) -> None:
    names = [f"q-{number}" for number in range(MANY)]
    async with client(tmp_path / "jobs.db") as ports, client(tmp_path / "jobs.db") as other:
        await ports.broker.declare([Queue(name=name) for name in names])
        receivers = {name: Receiver() for name in names}
        # All at once, also the very first: one worker is registered for all of them.
        held = await asyncio.gather(*(ports.broker.consume(name, 2, receivers[name], shared=True) for name in names))
        [worker] = await ports.workers.workers()
        assert sorted(worker.queues) == sorted(names)
        assert {one.standing.condition for one in held} == {"running"}
        await other.broker.publish([message(name, name.encode()) for name in names for _ in range(3)])
        for name in names:
            first, second = await receivers[name].take(2)
            assert first.message.body == second.message.body == name.encode()
            assert len(receivers[name].received) == 2, "it may hold two"
            ports.broker.ack(first)
            third = await receivers[name].next()
            ports.broker.ack(second)
            ports.broker.ack(third)
        assert all(one.standing.last_delivery is not None for one in held)
        await asyncio.gather(*(one.stop() for one in held[1:]))
        [worker] = await ports.workers.workers()
        assert worker.queues == names[:1]
        assert {one.standing.condition for one in held[1:]} == {"stopped"}
        await other.broker.publish([message(name) for name in names])
        await receivers[names[0]].next()
        assert {len(receivers[name].received) for name in names[1:]} == {3}


async def test_how_it_stands_is_known_while_the_file_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "PAUSE_AFTER_FAILURE", 0.01)
    broken = asyncio.Event()
    claim = consumer.claim

    def fail(*given: object) -> object:
        if broken.is_set():
            raise Unavailable("the disk is away")
        return claim(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(consumer, "claim", fail)
    async with client(tmp_path / "jobs.db") as ports:
        await ports.broker.declare([Queue(name="q")])
        received = Receiver()
        held = await ports.broker.consume("q", 2, received, shared=True)
        assert held.standing.condition == "running"
        began = held.standing.since
        broken.set()
        await held.restart()
        deadline = time.monotonic() + 20
        while held.standing.condition != "down":
            assert time.monotonic() < deadline
            await asyncio.sleep(0.005)
        assert held.standing.why == "the disk is away"
        assert not held.standing.healthy
        broken.clear()
        while held.standing.condition != "running":
            assert time.monotonic() < deadline
            await asyncio.sleep(0.005)
        assert held.standing.restarts == 1
        assert held.standing.since >= began


async def test_a_restart_brings_back_a_subscription_that_was_lost(tmp_path: Path) -> None:
    async with client(tmp_path / "jobs.db") as ports:
        await ports.broker.declare([Queue(name="q")])
        held = await ports.broker.consume("q", 2, Receiver(), shared=True)
        assert isinstance(ports.broker, SqliteBroker)
        await ports.broker._database.write(lambda connection: connection.execute("DELETE FROM subscription").fetchall())
        await held.restart()
        [worker] = await ports.workers.workers()
        assert worker.queues == ["q"]
        await held.stop()
        await held.restart()
        [worker] = await ports.workers.workers()
        assert worker.queues == [], "one that was stopped stays so"
        assert isinstance(held, Held)


def test_queues_with_jobs_are_found_by_jumps_in_the_index() -> None:
    """However many jobs wait in one of them."""
    connection = apsw.Connection(":memory:")
    folder = Path(consumer.__file__).with_name("sql")
    for file in ("0001_jobs.sql", "0002_calls.sql"):
        connection.execute((folder / file).read_text(encoding="utf-8"))
    plan = [row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + _STATEMENTS["queues_with_jobs"])]
    touched = [line for line in plan if " job" in line]
    assert len(touched) == 2
    assert all(line.startswith("SEARCH job USING INDEX job_ready") for line in touched), plan
