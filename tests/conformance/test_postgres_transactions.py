"""Lanes on PostgreSQL, and a transaction of the user's own that puts jobs into them or says that one is done."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any, TypeAlias

import psycopg
import pytest

from goatherd.adapters.postgres.lanes import PostgresLanes
from goatherd.adapters.postgres.opening import open_lanes
from goatherd.errors import Unavailable
from goatherd.model.lane import Claim, Commit, Release
from goatherd.model.statement import Statement
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, ids, item
from scripts.servers.addresses import postgres_url
from tests.conformance.postgres_store import PostgresLaneStore, operator, settings

pytestmark = pytest.mark.servers("postgres")

#: Seconds that something may take which waits for nobody.
AT_ONCE = 0.9
User: TypeAlias = "psycopg.AsyncConnection[tuple[Any, ...]]"


@pytest.fixture
async def user() -> AsyncIterator[User]:
    """A connection of the user's own; a transaction begins with its first statement."""
    async with await psycopg.AsyncConnection.connect(postgres_url()) as connection:
        yield connection
        await connection.rollback()


async def row(user: User, statement: Statement) -> tuple[Any, ...]:
    cursor = await user.execute(statement.sql.encode(), statement.parameters)
    found = await cursor.fetchone()
    assert found is not None
    return found


async def put(user: User, lanes: PostgresLanes, *ids: str, lane: str = LANE) -> None:
    [answers, *_] = await row(user, lanes.enqueue_statement([item(id, lane) for id in ids]))
    assert answers == ["placed"] * len(ids)


async def next_claims(worker: Worker) -> list[Claim]:
    """What comes when one waits as long as is told."""
    async with asyncio.timeout(10):
        while True:
            exchanged = await worker.exchange(wanted=10)
            if exchanged.claims:
                return list(exchanged.claims)
            await asyncio.sleep(min(1.0, 1.0 if exchanged.next_due is None else exchanged.next_due))


class TestTransactions(PostgresLaneStore):
    @pytest.fixture
    async def lanes(self, store: str) -> AsyncIterator[PostgresLanes]:
        lanes = await open_lanes(settings(store, publish_deadline=5.0))
        yield lanes
        await lanes.close()

    async def forgotten(self, store: str) -> bool:
        async with operator() as connection:
            asked = (
                "SELECT (SELECT count(*) FROM goatherd.lane_head WHERE app = %s)"
                " + (SELECT count(*) FROM goatherd.lane_tail WHERE app = %s)"
            )
            return await (await connection.execute(asked, (store, store))).fetchone() == (0,)

    async def test_an_open_transaction_that_sent_blocks_neither_beats_nor_commits(
        self, store: str, lanes: PostgresLanes, user: User
    ) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)
        first = await worker.one()
        await put(user, lanes, "late")
        async with asyncio.timeout(AT_ONCE):
            assert list(await lanes.beat([first.hold], 30.0)) == [True]
            [second] = (await worker.commit(first, wanted=5)).claims
            assert list((await worker.commit(second)).settled) == [True]
        # The lane was drained meanwhile, but it is not forgotten.
        assert await lanes.get(LANE) is None
        assert await worker.claim(5) == []
        await user.commit()
        [late] = await next_claims(worker)
        assert (late.id, late.seq > second.seq, late.token > second.token) == ("late", True, True)
        assert list((await worker.commit(late)).settled) == [True]
        assert await self.forgotten(store)

    async def test_what_was_sent_into_a_new_lane_is_there_as_soon_as_it_is_committed(
        self, lanes: PostgresLanes, user: User
    ) -> None:
        await put(user, lanes, "a", "b")
        worker = Worker(lanes)
        assert await worker.claim(5) == []
        await user.commit()
        assert ids(await worker.drain()) == ["a", "b"]

    async def test_nothing_is_left_of_a_transaction_that_was_rolled_back(
        self, store: str, lanes: PostgresLanes, user: User
    ) -> None:
        await Sender(lanes).put("a")
        worker = Worker(lanes)
        claim = await worker.one()
        await put(user, lanes, "never")
        await put(user, lanes, "never", lane="mail/to=8")
        await worker.commit(claim)
        await user.rollback()
        async with asyncio.timeout(10):
            while not await self.forgotten(store):
                assert await worker.claim(5) == []

    async def test_jobs_of_one_lane_are_taken_in_the_order_of_commits(self, lanes: PostgresLanes, user: User) -> None:
        sender = Sender(lanes)
        await put(user, lanes, "first")
        sending = asyncio.create_task(sender.put("second"))
        await put(user, lanes, "first too")
        # Another lane is nobody's business.
        await Sender(lanes).put("elsewhere", lane="mail/to=8")
        assert not sending.done()
        await user.commit()
        await sending
        done = await Worker(lanes).drain()
        assert [claim.id for claim in done if claim.lane == LANE] == ["first", "first too", "second"]

    async def test_one_who_waits_too_long_for_a_transaction_is_told_and_may_try_again(
        self, store: str, user: User
    ) -> None:
        lanes = await open_lanes(settings(store, publish_deadline=1.0))
        try:
            sender = Sender(lanes)
            await put(user, lanes, "first")
            with pytest.raises(Unavailable, match="order of commits"):
                await sender.put("second")
            await user.commit()
            assert [placed.answer for placed in await sender.repeat()] == ["placed"]
            assert ids(await Worker(lanes).drain()) == ["first", "second"]
        finally:
            await lanes.close()

    @pytest.mark.parametrize("known", [True, False])
    async def test_a_delayed_job_waits_for_the_transaction_and_nobody_for_it(
        self, lanes: PostgresLanes, user: User, known: bool
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        if known:
            await sender.put("before")
        await put(user, lanes, "first")
        await sender.put("second", "third", delay=0.01)
        await sender.put("elsewhere", lane="mail/to=8", delay=0.01)
        taken: list[str] = []
        async with asyncio.timeout(10):
            while "elsewhere" not in taken:
                began = time.monotonic()
                claims = await worker.claim(5)
                assert time.monotonic() - began < AT_ONCE
                taken += ids(claims)
                await worker.commit(*claims)
        await user.commit()
        while len(taken) < 4 + known:
            claims = await next_claims(worker)
            taken += ids(claims)
            await worker.commit(*claims)
        taken.remove("elsewhere")
        assert taken == [*(["before"] if known else []), "first", "second", "third"]

    async def test_a_new_lane_that_was_waited_for_begins_above_the_numbers_of_the_one_before(
        self, store: str, lanes: PostgresLanes, user: User
    ) -> None:
        """A sender waits for one who uses the lane, has its jobs done, and forgets it; all in one transaction."""
        await put(user, lanes, "a")
        sending = asyncio.create_task(Sender(lanes).put("c"))
        await self.waits_for_a_lock(store)
        await put(user, lanes, "b")
        first = await self.exchanged(user, store, 1, None)
        second = await self.exchanged(user, store, 2, first)
        assert await self.exchanged(user, store, 3, second) is None
        await user.commit()
        await sending
        [last] = await next_claims(Worker(lanes))
        assert last.id == "c"
        assert second is not None
        assert (last.token > second[0], last.seq > second[1]) == (True, True)

    async def waits_for_a_lock(self, store: str) -> None:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock'"
        async with asyncio.timeout(10), operator() as connection:
            while await (await connection.execute(asked, (f"goatherd {store}",))).fetchone() != (1,):
                await asyncio.sleep(0.01)

    async def exchanged(self, user: User, store: str, number: int, done: Any) -> Any:
        """The token and seq of the lane's head, after the one before was committed."""
        kinds, lanes, tokens, seqs = (None,) * 4 if done is None else (["commit"], [LANE], [done[0]], [done[1]])
        cursor = await user.execute(
            "SELECT token, seq FROM goatherd.lane_exchange(%s, 'w', %s, %s::text[], %s::text[], %s::bigint[], "
            "%s::bigint[], NULL, NULL, NULL, NULL, ARRAY['mail'], 1, 30000000, NULL) WHERE lane IS NOT NULL",
            (store, number, kinds, lanes, tokens, seqs),
        )
        return await cursor.fetchone()


class TestDoneInTheUsersTransaction(PostgresLaneStore):
    @pytest.fixture
    async def lanes(self, store: str) -> AsyncIterator[PostgresLanes]:
        lanes = await open_lanes(settings(store, publish_deadline=5.0))
        yield lanes
        await lanes.close()

    async def test_a_connection_to_the_same_database_is_known(self, lanes: PostgresLanes, user: User) -> None:
        await Sender(lanes).put("a")
        probe = lanes.within((await Worker(lanes).one()).hold).probe
        assert await row(user, probe) == (True,)
        elsewhere = postgres_url().rpartition("/")[0] + "/template1"
        async with await psycopg.AsyncConnection.connect(elsewhere) as stranger:
            cursor = await stranger.execute(probe.sql.encode(), probe.parameters)
            assert await cursor.fetchone() is None

    async def test_a_job_is_done_if_and_only_if_the_users_transaction_is(
        self, lanes: PostgresLanes, user: User
    ) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)
        claim = await worker.one()
        assert await row(user, lanes.commit_statement(claim.hold)) == ("done",)
        await user.rollback()
        assert list(await lanes.beat([claim.hold], 30.0)) == [True]
        assert await row(user, lanes.commit_statement(claim.hold)) == ("done",)
        await user.commit()
        assert list(await lanes.beat([claim.hold], 30.0)) == [False]
        assert await row(user, lanes.commit_statement(claim.hold)) == ("applied",)
        assert list((await worker.commit(claim)).settled) == [False]
        assert ids(await worker.drain()) == ["b"]
        assert await row(user, lanes.commit_statement(claim.hold)) == ("applied",)

    async def test_one_who_lost_the_lane_is_told_to_stop(self, lanes: PostgresLanes, user: User) -> None:
        await Sender(lanes).put("a")
        slow, worker = Worker(lanes, lease=0.05), Worker(lanes)
        lost = await slow.one()
        [claim] = await next_claims(worker)
        assert await row(user, lanes.commit_statement(lost.hold)) == ("newer",)
        assert await row(user, lanes.commit_statement(claim.hold)) == ("done",)

    async def test_while_it_is_open_nobody_waits_and_the_lane_is_not_lost(
        self, store: str, lanes: PostgresLanes, user: User
    ) -> None:
        await Sender(lanes).put("a")
        await Sender(lanes).put("other", lane="mail/to=8")
        worker, second = Worker(lanes, lease=0.3), Worker(lanes, lease=30.0)
        claims = {claim.id: claim for claim in await worker.claim(2)}
        assert await row(user, lanes.commit_statement(claims["a"].hold)) == ("done",)
        async with asyncio.timeout(AT_ONCE):
            assert list(await lanes.beat([claims["a"].hold, claims["other"].hold], 0.3)) == [True, True]
            await Sender(lanes).put("b")
        # Its lease runs out, but it is not given to others.
        assert ids(await next_claims(second)) == ["other"]
        async with asyncio.timeout(AT_ONCE):
            assert await second.claim(5) == []
        await user.commit()
        [claim] = await next_claims(second)
        assert (claim.id, claim.deaths) == ("b", 0)
        await second.commit(claim)

    @pytest.mark.parametrize("settlement", [Commit, Release])
    async def test_a_transaction_that_is_left_open_does_not_hold_up_other_lanes_for_long(
        self, lanes: PostgresLanes, user: User, settlement: type[Commit | Release]
    ) -> None:
        await Sender(lanes).put_each([LANE, "mail/to=8"])
        worker = Worker(lanes)
        claims = {claim.lane: claim for claim in await worker.claim(2)}
        assert await row(user, lanes.commit_statement(claims[LANE].hold)) == ("done",)
        async with asyncio.timeout(3.0):
            exchanged = await worker.exchange(
                settlement(hold=claims[LANE].hold), Commit(hold=claims["mail/to=8"].hold)
            )  # fmt: skip
        assert list(exchanged.settled) == [False, True]
        await user.rollback()
        assert list((await worker.commit(claims[LANE])).settled) == [True]

    async def test_a_lane_that_was_drained_there_is_forgotten(
        self, store: str, lanes: PostgresLanes, user: User
    ) -> None:
        await Sender(lanes).put("a")
        worker = Worker(lanes)
        assert await row(user, lanes.commit_statement((await worker.one()).hold)) == ("done",)
        await user.commit()
        assert await worker.claim(5) == []
        assert await self.kept(store) == []
