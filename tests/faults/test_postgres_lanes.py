"""PostgreSQL is killed, frozen and cut off under senders and workers of lanes: nothing is lost, repeated or hung."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar
from uuid import uuid4

import psycopg
import pytest

from goatherd.adapters.postgres.lanes import PostgresLanes
from goatherd.adapters.postgres.opening import open_lanes
from goatherd.errors import Unavailable
from goatherd.model.lane import Claim
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, ids, item
from goatherd.testing.suites.lane_store import Woken
from scripts.servers.postgres import Postgres
from scripts.servers.proxy import Proxy
from tests.conformance.postgres_store import settings
from tests.faults.watching import until

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("own postgres")]

T = TypeVar("T")


@pytest.fixture
def app() -> str:
    return f"app-{uuid4().hex}"


@asynccontextmanager
async def client(url: str, app: str, deadline: float = 10.0) -> AsyncIterator[PostgresLanes]:
    lanes = await open_lanes(settings(app, url, publish_deadline=deadline))
    try:
        yield lanes
    finally:
        await lanes.close()


async def stubborn(call: Callable[[], Awaitable[T]], repeat: Callable[[], Awaitable[T]]) -> T:
    """Make a call again under its number until it is answered."""
    try:
        return await call()
    except Unavailable:
        while True:
            try:
                return await repeat()
            except Unavailable:
                continue


class Day:
    """What was sent and what was done, lane by lane."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.sent: dict[str, list[str]] = {key: [] for key in keys}
        self.done: dict[str, list[str]] = {key: [] for key in keys}
        self.on = True
        self.sending = 0

    async def send(self, lanes: PostgresLanes, keys: Sequence[str]) -> None:
        sender, place = Sender(lanes), 0
        self.sending += 1
        while self.on:
            place += 1
            items = [item(f"{place}", key) for key in keys]
            placed = await stubborn(partial(sender.send, *items), sender.repeat)
            assert [each.answer for each in placed] == ["placed"] * len(keys)
            for key in keys:
                self.sent[key].append(f"{place}")
        self.sending -= 1

    async def work(self, lanes: PostgresLanes) -> None:
        worker, claims = Worker(lanes, lease=60.0), list[Claim]()
        # What is on its way into a lane is not sent yet, but must be done.
        while self.on or self.sending or self.done != self.sent or claims:
            exchanged = await stubborn(partial(worker.commit, *claims, wanted=8), worker.repeat)
            assert all(exchanged.settled)
            claims = list(exchanged.claims)
            # Now, and not when the answer to its commit is there: others may have the next job of its lane before that.
            for claim in claims:
                self.done[claim.lane].append(claim.id)

    async def comes_to(self, count: int) -> None:
        await until(lambda: sum(map(len, self.done.values())) >= count, "jobs to be done")


async def test_nothing_is_lost_repeated_or_out_of_order_when_the_server_is_killed(
    own_postgres: Postgres, app: str
) -> None:
    keys = [f"mail/to={number}" for number in range(20)]
    day = Day(keys)
    async with client(own_postgres.url, app) as one, client(own_postgres.url, app) as two:
        people = day.send(one, keys[:10]), day.send(two, keys[10:]), day.work(one), day.work(two)
        tasks = [asyncio.create_task(person) for person in people]
        for killed in range(3):
            await day.comes_to(200 * (killed + 1))
            await asyncio.to_thread(own_postgres.kill)
            await asyncio.to_thread(own_postgres.start)
        await day.comes_to(800)
        day.on = False
        async with asyncio.timeout(30):
            await asyncio.gather(*tasks)
    assert day.done == day.sent
    for key in keys:
        assert day.sent[key] == [f"{place}" for place in range(1, len(day.sent[key]) + 1)]


async def test_calls_end_in_time_though_the_server_is_frozen(own_postgres: Postgres, app: str) -> None:
    async with client(own_postgres.url, app, deadline=0.5) as lanes:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("a")
        claim = await worker.one()
        own_postgres.freeze()
        began = time.monotonic()
        for call in (sender.put("b"), worker.commit(claim), lanes.beat([claim.hold], 30.0), lanes.get(LANE)):
            with pytest.raises(Unavailable, match="does not answer"):
                await call
        assert time.monotonic() - began < 4 * 1.0
        # One that is not wanted any more ends at once.
        asking = asyncio.create_task(lanes.get(LANE))
        await asyncio.sleep(0.1)
        began = time.monotonic()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert (asking.cancelled(), time.monotonic() - began < 0.5) == (True, True)
        own_postgres.thaw()
        await stubborn(sender.repeat, sender.repeat)
        exchanged = await stubborn(worker.repeat, worker.repeat)
        assert list(exchanged.settled) == [True]
        assert ids(await worker.drain()) == ["b"]


async def test_an_exchange_whose_answer_was_lost_gives_the_same_claims(own_postgres: Postgres, app: str) -> None:
    async with (
        Proxy(own_postgres.port) as proxy,
        client(own_postgres.url, app) as near,
        client(through(proxy, own_postgres), app) as far,
    ):
        await Sender(near).put_each([f"mail/to={number}" for number in range(10)])
        worker = Worker(far)
        proxy.delay = 0.3
        asking = asyncio.create_task(worker.claim(6))
        await until(lambda: _running(near, 6), "the exchange to be made")
        # Its answer is on the way; the adapter asks again by itself.
        proxy.cut()
        proxy.delay = 0.0
        claims = await asking
        assert len(claims) == 6
        assert len(await Worker(near).claim(10)) == 4
        assert list((await worker.commit(*claims)).settled) == [True] * 6


def through(proxy: Proxy, own_postgres: Postgres) -> str:
    return own_postgres.url.replace(f":{own_postgres.port}/", f":{proxy.port}/")


async def _running(lanes: PostgresLanes, count: int) -> bool:
    return len(await lanes.find(condition="running")) == count


async def test_an_exchange_that_was_cut_in_the_middle_is_made_once(own_postgres: Postgres, app: str) -> None:
    async with (
        client(own_postgres.url, app) as lanes,
        await psycopg.AsyncConnection.connect(own_postgres.url) as operator,
    ):
        await Sender(lanes).put_each([f"mail/to={number}" for number in range(10)])
        worker = Worker(lanes)
        await worker.exchange()
        # It has to wait for its own record, and is hung up on meanwhile.
        await operator.execute("SELECT FROM goatherd.lane_peer FOR UPDATE")
        asking = asyncio.create_task(worker.claim(6))

        async def hung_up() -> bool:
            cursor = await operator.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = %s AND wait_event_type = 'Lock'",
                (f"goatherd {app}",),
            )
            return await cursor.fetchone() is not None

        await until(hung_up, "the exchange to wait")
        await operator.rollback()
        assert len(await asking) == 6
        assert len(await Worker(lanes).claim(10)) == 4


async def test_what_must_not_be_done_twice_is_not_tried_again(own_postgres: Postgres, app: str) -> None:
    async with Proxy(own_postgres.port) as proxy, client(through(proxy, own_postgres), app) as lanes:
        await lanes.get(LANE)
        proxy.stall()
        asking = asyncio.create_task(lanes.unblock(LANE))
        await asyncio.sleep(0.1)
        proxy.cut()
        with pytest.raises(Unavailable, match="Look first"):
            await asking


async def test_watchers_are_called_after_the_server_was_away(own_postgres: Postgres, app: str) -> None:
    async with client(own_postgres.url, app) as lanes:
        woken = Woken()
        await lanes.watch(["mail"], woken)
        await asyncio.to_thread(own_postgres.kill)
        await asyncio.to_thread(own_postgres.start)
        # First because something may have been missed, ...
        await woken.next()
        # ... and then because of what is new.
        await Sender(lanes).put("a")
        await woken.next()


async def test_a_server_that_is_away_from_the_start_is_told(own_postgres: Postgres, app: str) -> None:
    own_postgres.stop()
    with pytest.raises(Unavailable, match="GOATHERD_LANES_URL"):
        await open_lanes(settings(app, own_postgres.url))
