"""A duplicate that comes while the step is worked on is not run; when its worker dies, the work goes on elsewhere."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from goatherd import Goatherd, Pipeline, Run
from goatherd.model.message import Message
from scripts.servers.addresses import amqp_url, management, postgres_url
from scripts.servers.management import with_virtual_host
from tests.faults.lanes.pen import Pen
from tests.faults.pipelines import sitting
from tests.faults.pipelines.judge import Journal, read_journal
from tests.faults.watching import until

#: Seconds; and those after a lease within which the work must go on.
LEASE, GRACE = 2.0, 5.0
STORES = ["sqlite", pytest.param("servers", marks=pytest.mark.servers("rabbitmq", "postgres"))]
Urls = Mapping[str, str]


@pytest.fixture
def sqlite(tmp_path: Path) -> Urls:
    return {"broker_url": f"sqlite:///{tmp_path}/jobs.db"}


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Urls]:
    with management().virtual_host() as host:
        url = with_virtual_host(amqp_url(), host)
        yield {"broker_url": url, "records_url": postgres_url(), "events_url": f"sqlite:///{tmp_path}/events.db"}


class Bench:
    """Two workers, one after the other, and a run that the first one has."""

    def __init__(self, folder: Path, urls: Urls) -> None:
        # A name of its own, for others use the same database.
        self._named = f"{sitting.APP}-{uuid4().hex[:8]}"
        environment = {f"GOATHERD_{name.upper()}": url for name, url in urls.items()}
        environment |= {"GOATHERD_LEASE": str(LEASE), "SITTING_APP": self._named}
        command = ("-m", "goatherd", "worker", f"{sitting.__name__}:app", "--json")
        self.pen = Pen(folder, command, environment, Random(0))
        self.app = Goatherd(self._named, lease=LEASE, **urls)  # type: ignore[arg-type]  # they are URLs by their names
        self.pipeline: Pipeline[int, int] = sitting.declare(self.app)

    @property
    def journal(self) -> Journal:
        return read_journal(self.pen.journal)

    async def start_worker(self) -> int:
        """One more, which has begun to work; its process."""
        before = set(self.pen.journal.glob("*.log"))
        await self.pen.start()
        await until(lambda: set(self.pen.journal.glob("*.log")) > before, "the worker")
        [path] = set(self.pen.journal.glob("*.log")) - before
        return int(path.stem)

    def signal(self, pid: int, number: signal.Signals) -> None:
        os.kill(pid, number)

    async def begin(self) -> Run[int]:
        run = await self.pipeline.start(1)
        await until(lambda: len(self.journal.starts) == 1, "the start")
        return run

    async def send_copies(self, run: Run[int], count: int) -> None:
        """More messages about the same step, and wait until they are taken."""
        body = f'{{"v":1,"task_id":"{run.id}","step":"sit","pipeline":"sitting","payload":{{}}}}'.encode()
        ports = self.app.session().ports
        await ports.broker.publish([Message(id=str(uuid4()), queue=self._named, body=body) for _ in range(count)])

        async def are_gone() -> bool:
            [state] = await ports.operations.queues()
            return not state.ready and not state.running

        await until(are_gone, "the copies to be taken")


@pytest.fixture
async def bench(store: str, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    bench = Bench(tmp_path, request.getfixturevalue(store))
    async with bench.app, bench.pen:
        yield bench


@pytest.mark.parametrize("store", STORES)
async def test_when_the_first_worker_is_killed_the_second_does_it(
    bench: Bench, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = await bench.start_worker()
    sitting.hold_of(first, bench.pen.journal).touch()
    run = await bench.begin()
    second = await bench.start_worker()
    await bench.send_copies(run, 3)
    assert [start.pid for start in bench.journal.starts] == [first], "a duplicate was run"
    killed = time.time()
    bench.signal(first, signal.SIGKILL)
    assert await run.result(timeout=60) == second
    [start] = [each for each in bench.journal.starts if each.pid == second]
    with capsys.disabled():
        print(f"\npipelines on {store}: work went on {start.moment - killed:.1f} s after the kill")  # noqa: T201
    assert start.moment - killed < LEASE + GRACE


#: On RabbitMQ what a frozen worker holds stays with it, so that others are told a second time.
FROZEN = [STORES[0], pytest.param("servers", marks=[pytest.mark.chaos, pytest.mark.servers("rabbitmq", "postgres")])]


@pytest.mark.parametrize("store", FROZEN)
async def test_a_worker_that_stood_still_past_its_lease_does_not_count(bench: Bench, store: str) -> None:
    first = await bench.start_worker()
    sitting.hold_of(first, bench.pen.journal).touch()
    run = await bench.begin()
    second = await bench.start_worker()
    bench.signal(first, signal.SIGSTOP)
    assert await run.result(timeout=60) == second
    sitting.hold_of(first, bench.pen.journal).unlink()
    bench.signal(first, signal.SIGCONT)
    await bench.send_copies(run, 3)
    # What it had was taken from it: it notices, or its word does not count.
    assert await run.result(timeout=30) == second
    assert sorted(start.pid for start in bench.journal.starts) == sorted([first, second])


@pytest.mark.chaos
async def test_while_its_worker_lives_it_stays_there_past_the_lease(tmp_path: Path, sqlite: Urls) -> None:
    bench = Bench(tmp_path, sqlite)
    async with bench.app, bench.pen:
        first = await bench.start_worker()
        sitting.hold_of(first, bench.pen.journal).touch()
        run = await bench.begin()
        await bench.start_worker()
        for _ in range(3):
            await asyncio.sleep(LEASE / 2)
            await bench.send_copies(run, 2)
        assert len(bench.journal.starts) == 1
        sitting.hold_of(first, bench.pen.journal).unlink()
        assert await run.result(timeout=60) == first
