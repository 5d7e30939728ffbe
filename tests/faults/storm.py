"""Everything that can happen to a RabbitMQ and its workers, while jobs pour in."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scripts.servers.proxy import Proxy
from scripts.servers.rabbitmq import RabbitMQ
from tests.faults.arena import QUEUE_IS_WRITTEN_DOWN_AFTER, Arena
from tests.faults.driver import Driver
from tests.faults.herd import work
from tests.faults.history import History, Verdict, judge
from tests.faults.runs import Repeats, explain, read_runs

WORKERS = 3
OPTIONS = ("--concurrency", "8")
#: The part of the jobs that is sent ahead of the work.
WAITING = 0.05
#: Bytes in the journal for a job that was done.
BYTES_PER_JOB = 120
#: Seconds for which a broker stays dead before somebody starts it again.
DEAD_FOR = 2.0

Fault: TypeAlias = Callable[["Storm"], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a run."""

    accepted: Sequence[str]
    verdict: Verdict
    repeats: Repeats
    #: Publishes of unknown outcome that the link made again on its own.
    published_again: int
    #: Jobs that the driver sent again after it was told that they were not accepted.
    sent_again: Counter[str]
    outages: int
    kills: int

    @property
    def without_reason(self) -> int:
        """Runs that neither a fault of a worker nor a second send by the driver explains."""
        return (self.repeats.unexplained - self.sent_again).total()

    def __str__(self) -> str:
        verdict, repeats = self.verdict, self.repeats
        return (
            f"{len(self.accepted)} jobs, {self.kills} workers killed, {self.outages} sends failed and repeated; "
            f"{verdict.repeats} runs beyond the first: {repeats.killed} after a kill, {repeats.lost} after a lost "
            f"connection, {repeats.unexplained.total()} by a second publish (of unknown outcome: "
            f"{self.published_again} by the link, {self.sent_again.total()} by the sender); "
            f"{len(verdict.lost)} lost, {len(verdict.dead)} dead"
        )


class Storm:
    """One run: workers behind a proxy, a sender, and faults at their time."""

    def __init__(self, arena: Arena, rabbitmq: RabbitMQ, proxy: Proxy, *, jobs: int) -> None:
        self.arena = arena
        self.rabbitmq = rabbitmq
        self.proxy = proxy
        self._jobs = jobs
        #: Since when the broker has the queue, on the loop's clock.
        self.queue_made = 0.0

    async def rage(
        self, plan: Sequence[tuple[float, Fault]], *, pause: tuple[float, float], deadline: float
    ) -> Outcome:
        """Send jobs of 5 to 50 ms; each fault comes when that part of them is done, kills come with pauses."""
        arena = self.arena
        driver = Driver(arena.app, self._turn, deadline)
        jobs = (work.job(milliseconds=arena.chance.randint(5, 50)) for _ in range(self._jobs))
        async with asyncio.timeout(deadline), arena.app, asyncio.TaskGroup() as group:
            self.queue_made = asyncio.get_running_loop().time()
            for _ in range(WORKERS):
                await arena.start_worker(*OPTIONS)
            sending = group.create_task(driver.send_all(jobs), name="sender")
            killing = group.create_task(self._kill_workers(pause), name="killer")
            for share, fault in plan:
                await self._done(share)
                await fault(self)
            await sending
            await self._done(0.97)
            killing.cancel()
            await arena.replace_ended(*OPTIONS)
            await arena.at_rest(driver.accepted, deadline=90)
            outcome = await self._outcome(driver)
            await arena.stop_workers()
            [state] = await arena.app.session().ports.operations.queues()
            assert state.ready == 0, "a job is done, but the broker still has it"
            return outcome

    async def _outcome(self, driver: Driver) -> Outcome:
        arena = self.arena
        history = History.read(arena.journal)
        broker = arena.app.session().ports.broker
        return Outcome(
            accepted=driver.accepted,
            verdict=judge(driver.accepted, history, await arena.dead_jobs(), doubtful=driver.sent_again),
            repeats=explain(read_runs(arena.journal), arena.faults()),
            published_again=broker.publisher.repeated,  # type: ignore[attr-defined]  # RabbitMQ's
            sent_again=driver.sent_again,
            outages=driver.outages,
            kills=arena.kills,
        )

    async def _kill_workers(self, pause: tuple[float, float]) -> None:
        while True:
            await asyncio.sleep(self.arena.chance.uniform(*pause))
            await self.arena.kill_one(*OPTIONS)

    async def _turn(self, number: int) -> None:
        """Wait until so much is done that this one may be sent: the sender should meet the faults, too."""
        await self._done(number / self._jobs - WAITING)

    async def _done(self, share: float) -> None:
        """Wait until about that part of the jobs is done."""
        while self._written() < share * self._jobs * BYTES_PER_JOB:
            await asyncio.sleep(0.1)

    def _written(self) -> int:
        return sum(path.stat().st_size for path in self.arena.journal.iterdir())


async def cut(storm: Storm) -> None:
    """Every connection is reset."""
    storm.proxy.cut()


def stalled(seconds: float) -> Fault:
    """Nothing gets through for a while, and nobody is told."""

    async def stall(storm: Storm) -> None:
        storm.proxy.stall()
        await asyncio.sleep(seconds)
        storm.proxy.flow()

    return stall


def frozen(seconds: float) -> Fault:
    """The broker stops in its tracks for a while."""

    async def freeze(storm: Storm) -> None:
        storm.rabbitmq.freeze()
        await asyncio.sleep(seconds)
        storm.rabbitmq.thaw()

    return freeze


async def broker_killed(storm: Storm) -> None:
    """kill -9 of the broker, which has had its queue for a while; after a while somebody starts it again."""
    await asyncio.sleep(storm.queue_made + QUEUE_IS_WRITTEN_DOWN_AFTER - asyncio.get_running_loop().time())
    storm.rabbitmq.kill()
    await asyncio.sleep(DEAD_FOR)
    await asyncio.to_thread(storm.rabbitmq.start)
