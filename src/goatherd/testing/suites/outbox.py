"""The suite of the outbox: every adapter passes it."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar

import pytest
import pytest_asyncio

from goatherd.errors import Unavailable
from goatherd.model.message import LANE, Message
from goatherd.model.outbox import OutboxJob, OutboxRow
from goatherd.model.statement import Statement
from goatherd.ports.outbox import Outbox


def job(id: str, lane: str | None = None, **more: Any) -> OutboxJob:
    """A job on its way out."""
    headers = {"some": 7} if lane is None else {LANE: lane}
    return OutboxJob(message=Message(id=id, queue="mail", body=b"\x00\xff{}", headers=headers), **more)


class RolledBack(Exception):
    """Raised inside of a transaction, so that it is not committed."""


class Carrier:
    """Takes what a relay sends."""

    def __init__(self, *refused: str) -> None:
        self.got: list[str] = []
        self.jobs: list[OutboxJob] = []
        self._refused = refused

    async def __call__(self, rows: Sequence[OutboxRow]) -> Collection[int]:
        self.got += [row.job.message.id for row in rows]
        self.jobs += [row.job for row in rows]
        return {row.place for row in rows if row.job.message.id not in self._refused}


class Depot:
    """Takes what relays send to lanes, but is away each third time."""

    def __init__(self) -> None:
        self.got: list[tuple[str, object]] = []
        self._asked = 0

    async def __call__(self, rows: Sequence[OutboxRow]) -> Collection[int]:
        self._asked += 1
        if self._asked % 3 == 0:
            raise Unavailable("the lanes are away")
        self.got += [(row.job.message.id, row.job.message.headers[LANE]) for row in rows]
        return {row.place for row in rows}


class OutboxSuite:
    """Subclass it as Test…, give it `store`, `open` and `transaction`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    async def open(self, store: Any) -> Outbox:
        """A client of the store."""
        raise NotImplementedError

    def transaction(self, store: Any) -> AbstractAsyncContextManager[Any]:
        """A user's transaction, committed at the end of the block; gives what awaits a statement's first row."""
        raise NotImplementedError

    @pytest_asyncio.fixture
    async def outbox(self, store: Any) -> AsyncIterator[Outbox]:
        outbox = await self.open(store)
        yield outbox
        await outbox.close()

    @pytest_asyncio.fixture
    async def other(self, store: Any) -> AsyncIterator[Outbox]:
        outbox = await self.open(store)
        yield outbox
        await outbox.close()

    async def write(self, store: Any, outbox: Outbox, *jobs: OutboxJob) -> None:
        """Write jobs in one transaction."""
        async with self.transaction(store) as ask:
            assert (await ask(outbox.statement(jobs)))[0] == len(jobs)

    async def test_what_was_written_is_sent_once_and_as_it_was(self, store: Any, outbox: Outbox) -> None:
        jobs = [job("a"), job("b", tracked=True, keep_place=True), job("c", "mail/to=ü🐐", placed=True)]
        await self.write(store, outbox, *jobs)
        assert await outbox.look() == (True, False)
        carrier = Carrier()
        assert await outbox.relay(10, carrier) == 3
        assert carrier.jobs == jobs
        assert await outbox.relay(10, carrier) == 0
        assert (await outbox.look(), await outbox.waiting()) == ((False, False), 0)

    async def test_what_is_not_committed_is_not_seen(self, store: Any, outbox: Outbox) -> None:
        carrier = Carrier()

        async def change_ones_mind() -> None:
            async with self.transaction(store) as ask:
                await ask(outbox.statement([job("a"), job("b", "mail/to=1")]))
                assert await outbox.look() == (False, False)
                assert await outbox.relay(10, carrier) + await outbox.relay_lanes(10, carrier) == 0
                raise RolledBack

        with pytest.raises(RolledBack):
            await change_ones_mind()
        assert await outbox.look() == (False, False)
        assert (await outbox.waiting(), carrier.got) == (0, [])

    async def test_what_was_refused_is_tried_again_later_and_is_in_nobodys_way(
        self, store: Any, outbox: Outbox
    ) -> None:
        await self.write(store, outbox, job("bad"), job("a"), job("b"))
        carrier = Carrier("bad")
        assert await outbox.relay(2, carrier) == 2
        assert await outbox.relay(2, carrier) == 1
        assert carrier.got == ["bad", "a", "b"]
        assert (await outbox.look(), await outbox.waiting()) == ((False, False), 1)
        again = Carrier()
        async with asyncio.timeout(20):
            while not await outbox.relay(2, again):  # noqa: ASYNC110 - when the store gives it again, nobody says so
                await asyncio.sleep(0.05)
        assert (again.got, await outbox.waiting()) == (["bad"], 0)

    async def test_whoever_fails_changes_nothing(self, store: Any, outbox: Outbox) -> None:
        async def fail(rows: Sequence[OutboxRow]) -> Collection[int]:
            raise Unavailable("the broker is away")

        await self.write(store, outbox, job("a"), job("b", "mail/to=1"))
        for relay in (outbox.relay, outbox.relay_lanes):
            with pytest.raises(Unavailable, match="the broker is away"):
                await relay(10, fail)
        carrier = Carrier()
        assert await outbox.relay(10, carrier) + await outbox.relay_lanes(10, carrier) == 2
        assert carrier.got == ["a", "b"]

    async def test_two_relays_do_not_get_the_same(self, store: Any, outbox: Outbox, other: Outbox) -> None:
        await self.write(store, outbox, *(job(f"{number}") for number in range(10)))
        late = Carrier()

        async def send(rows: Sequence[OutboxRow]) -> Collection[int]:
            assert await other.relay(10, late) == 4
            return {row.place for row in rows}

        assert await outbox.relay(6, send) == 6
        assert (late.got, await outbox.waiting()) == (["6", "7", "8", "9"], 0)

    async def test_a_lane_is_with_one_relay_at_a_time(self, store: Any, outbox: Outbox, other: Outbox) -> None:
        """While one sends the first of a lane, another gets neither that nor those behind it."""
        await self.write(store, outbox, job("a", "mail/to=1"), job("b", "mail/to=1"))
        order: list[str] = []

        async def send(rows: Sequence[OutboxRow]) -> Collection[int]:
            late = Carrier()
            assert await other.relay_lanes(10, late) == 0
            order.extend(row.job.message.id for row in rows)
            return {row.place for row in rows}

        assert await outbox.look() == (False, True)
        assert await outbox.relay_lanes(1, send) == 1
        assert await outbox.relay_lanes(1, send) == 1
        assert (order, await outbox.waiting()) == (["a", "b"], 0)

    async def test_other_lanes_go_on_meanwhile(self, store: Any, outbox: Outbox, other: Outbox) -> None:
        lanes = {job(f"{number}", f"mail/to={number}").shard: f"mail/to={number}" for number in range(100)}
        await self.write(store, outbox, *(job(lane, lane) for lane in lanes.values()))
        late = Carrier()

        async def send(rows: Sequence[OutboxRow]) -> Collection[int]:
            while await other.relay_lanes(10, late):
                continue
            return {row.place for row in rows}

        assert await outbox.relay_lanes(10, send) == 1
        assert (len(late.got), await outbox.waiting()) == (len(lanes) - 1, 0)

    async def test_what_a_lane_did_not_take_stays_before_the_rest(self, store: Any, outbox: Outbox) -> None:
        await self.write(store, outbox, *(job(id, "mail/to=1") for id in "abc"))
        assert await outbox.relay_lanes(10, Carrier("a", "b", "c")) == 3
        carrier = Carrier()
        assert await outbox.relay_lanes(10, carrier) == 3
        assert carrier.got == ["a", "b", "c"]

    async def test_transactions_one_after_the_other_leave_in_order(
        self, store: Any, outbox: Outbox, other: Outbox
    ) -> None:
        """Relays fail, and take turns, but in each lane nothing is overtaken."""
        lanes = ["mail/to=1", "mail/to=2", "mail/to=3"]
        depot = Depot()

        async def relay(client: Outbox) -> None:
            while len(depot.got) < 90:
                try:
                    await client.relay_lanes(7, depot)
                except Unavailable:
                    continue

        async def write() -> None:
            for number in range(30):
                await self.write(store, outbox, *(job(f"{number}", lane) for lane in lanes))

        async with asyncio.timeout(60):
            await asyncio.gather(write(), relay(outbox), relay(other))
        for lane in lanes:
            assert [id for id, of in depot.got if of == lane] == [f"{number}" for number in range(30)]

    async def test_a_statement_is_one_for_any_library(self, outbox: Outbox) -> None:
        statement = outbox.statement([job("a")])
        assert isinstance(statement, Statement)
        assert statement.sql.count("%s") == len(statement.parameters)
        assert ":" not in statement.sql
