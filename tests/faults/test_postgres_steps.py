"""PostgreSQL is killed and cut off under those who work on runs: nothing is lost, done twice or counted twice."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from uuid import uuid4

import pytest

from goatherd.adapters.postgres.opening import open_steps
from goatherd.adapters.postgres.steps import PostgresSteps
from goatherd.errors import Unavailable
from goatherd.model.run_record import EndedRun, RunFilter, UnitClaim, UnitKey
from goatherd.testing.suites.step_people import ONE, RUN, Plan, Worker, given, key, parcels
from scripts.servers.postgres import Postgres
from scripts.servers.proxy import Proxy
from tests.conformance.test_postgres_steps import settings
from tests.faults.test_postgres_lanes import stubborn, through
from tests.faults.watching import until

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("own postgres")]

PLAN = Plan(cut=(), each=["cut"], join=["each"])
ITEMS = 12
#: Units that somebody works on, in each run.
WORK = ITEMS + 2


@pytest.fixture
def app() -> str:
    return f"app-{uuid4().hex}"


@asynccontextmanager
async def client(url: str, app: str, deadline: float = 10.0) -> AsyncIterator[PostgresSteps]:
    steps = await open_steps(settings(app, url, publish_deadline=deadline))
    try:
        yield steps
    finally:
        await steps.close()


class Day:
    """What workers were told of, what they did, and which runs ended."""

    def __init__(self) -> None:
        self.done: Counter[UnitKey] = Counter()
        self.ended: set[EndedRun] = set()
        self.over = False
        self._told: deque[UnitKey] = deque()
        self._news = asyncio.Event()

    async def conduct(self, steps: PostgresSteps) -> None:
        conductor = Worker(steps, PLAN)
        while not self.over:
            try:
                turns = await steps.take(["film"], 100, 0.5)
                ended = await steps.ended(100)
                await steps.told(ended)
            except Unavailable:
                continue
            # Two may see the same end before it is told.
            self.ended.update(ended)
            for turn in turns:
                if turn.key.step == "each" and turn.size == 0:
                    spread = conductor.spreading("each", parcels(ITEMS), 4, turn.key.run)
                    await stubborn(partial(conductor.exchange, decided=[spread]), conductor.repeat)
                else:
                    self._told.append(turn.key)
            self._news.set()
            await asyncio.sleep(0.01)

    async def work(self, steps: PostgresSteps) -> None:
        worker, claims = Worker(steps, PLAN, lease=600.0), list[UnitClaim]()
        while not self.over or claims:
            wanted = await self._some() if not claims else self._next()
            settled = [worker.success(claim, b"%d" % claim.key.item) for claim in claims]
            exchanged = await stubborn(partial(worker.exchange, *settled, wanted=wanted), worker.repeat)
            assert all(exchanged.settled)
            claims = [claim for claim in exchanged.claims if isinstance(claim, UnitClaim)]
            self.done.update(claim.key for claim in claims)

    async def comes_to(self, count: int) -> None:
        await until(lambda: self.done.total() >= count, "units to be done", 60.0)

    def end(self) -> None:
        self.over = True
        self._news.set()

    async def _some(self) -> Sequence[UnitKey]:
        while not self._told and not self.over:
            self._news.clear()
            await self._news.wait()
        return self._next()

    def _next(self) -> Sequence[UnitKey]:
        return [self._told.popleft() for _ in range(min(8, len(self._told)))]


async def test_nothing_is_lost_or_done_twice_when_the_server_is_killed(own_postgres: Postgres, app: str) -> None:
    day, runs = Day(), [f"run-{number}" for number in range(60)]
    async with client(own_postgres.url, app) as one, client(own_postgres.url, app) as two:
        await PLAN.begin(one, *runs)
        people = day.conduct(one), day.conduct(two), day.work(one), day.work(two), day.work(two)
        tasks = [asyncio.create_task(person) for person in people]
        for killed in range(2):
            await day.comes_to(len(runs) * WORK * (killed + 1) // 3)
            await asyncio.to_thread(own_postgres.kill)
            await asyncio.to_thread(own_postgres.start)
        await until(lambda: len(day.ended) >= len(runs), "runs to end", 60.0)
        day.end()
        async with asyncio.timeout(30):
            await asyncio.gather(*tasks)
        # Leases are long: whoever got a unit did it, and nobody else.
        assert set(day.done.values()) == {1}
        assert len(day.done) == len(runs) * WORK
        assert sorted((each.id, each.state) for each in day.ended) == sorted((run, "done") for run in runs)
        items = b"[" + b",".join(b"%d" % item for item in range(ITEMS)) + b"]"
        wanted = [(run, step) for run in runs for step in ("cut", "each", "join")]
        assert list(await one.results(wanted)) == [b"-1", items, b"-1"] * len(runs)
        assert list(await one.take(["film"], 10, 0.5)) == []


async def test_an_exchange_whose_answer_was_lost_gives_the_same_claims(own_postgres: Postgres, app: str) -> None:
    async with (
        Proxy(own_postgres.port) as proxy,
        client(own_postgres.url, app) as near,
        client(through(proxy, own_postgres), app) as far,
    ):
        await ONE.begin(near, *"abcd")
        worker = Worker(far)
        [first] = given(await worker.claim(key("work", run="a")))
        proxy.delay = 0.3
        wanted = [key("work", run=run) for run in "bcd"]
        asking = asyncio.create_task(worker.exchange(worker.success(first, b"1"), wanted=wanted))
        await until(lambda: _running(near, 3), "the exchange to be made")
        # Its answer is on the way; the adapter asks again by itself.
        proxy.cut()
        proxy.delay = 0.0
        exchanged = await asking
        assert list(exchanged.settled) == [True]
        claims = given(exchanged.claims)
        assert list(await Worker(near).claim(*wanted)) == ["taken"] * 3
        assert list(await near.beat([claim.hold for claim in claims], 30.0)) == [True] * 3


async def _running(steps: PostgresSteps, count: int) -> bool:
    looks = [await steps.look(each.id) for each in await steps.find(RunFilter(state="running"), 10)]
    return sum(step.running for look in looks if look is not None for step in look.steps) == count


async def test_a_run_whose_begin_was_not_answered_is_new_all_the_same(own_postgres: Postgres, app: str) -> None:
    async with (
        Proxy(own_postgres.port) as proxy,
        client(own_postgres.url, app) as near,
        client(through(proxy, own_postgres), app) as far,
    ):
        await far.look(RUN)
        proxy.delay = 0.3
        beginning = asyncio.create_task(far.begin([ONE.run()]))

        async def is_there() -> bool:
            return await near.look(RUN) is not None

        await until(is_there, "the run to be begun")
        proxy.cut()
        proxy.delay = 0.0
        assert list(await beginning) == [True]
        assert list(await far.begin([ONE.run()])) == [False]


async def test_calls_end_in_time_though_the_server_is_frozen(own_postgres: Postgres, app: str) -> None:
    async with client(own_postgres.url, app, deadline=0.5) as steps:
        await ONE.begin(steps)
        worker = Worker(steps)
        claim = await worker.one()
        own_postgres.freeze()
        began = time.monotonic()
        calls = (
            steps.begin([ONE.run("other")]), worker.exchange(worker.success(claim)), steps.reap(1), steps.cancel(RUN),
        )  # fmt: skip
        for call in calls:
            with pytest.raises(Unavailable):
                await call
        assert time.monotonic() - began < len(calls) * 1.0
        own_postgres.thaw()


async def test_a_server_that_is_away_from_the_start_is_told(own_postgres: Postgres, app: str) -> None:
    own_postgres.stop()
    with pytest.raises(Unavailable, match="GOATHERD_RECORDS_URL"):
        await open_steps(settings(app, own_postgres.url))
