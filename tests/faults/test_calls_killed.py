"""Workers and callers that are killed in the middle of calls."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest

from goatherd import Goatherd
from goatherd.model.dead_letter import LetterFilter
from goatherd.testing.suites.receipts import post
from goatherd.testing.suites.receiver import message
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.faults.arena import Arena
from tests.faults.callers import caller, calling, check, why
from tests.faults.history import History
from tests.faults.watching import until

ROOT = Path(__file__).parents[2]
#: Each broker, the second only where there is one.
BROKERS = ["sqlite", pytest.param("rabbitmq", marks=pytest.mark.servers)]

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def broker_url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/faults.db"
        return
    with management().virtual_host() as name:
        yield with_virtual_host(amqp_url(), name)


@pytest.mark.parametrize("broker_url", BROKERS, indirect=True)
async def test_the_calls_of_a_killed_worker_are_answered_by_another(tmp_path: Path, broker_url: str) -> None:
    app, answer = caller(broker_url)
    async with Arena(tmp_path, seed=3, broker_url=broker_url) as arena, app:
        await arena.start_worker()
        calls = calling(answer, range(8), milliseconds=700, deadline=30)
        await until(lambda: len(History.read(arena.journal).starts) == 8, "the start of all calls")
        await arena.kill_one()
        ends = await calls
        assert check(app, ends) == {"answered": 8}, f"{why(ends)}\n{arena.last_words()}"
        assert set(History.read(arena.journal).starts.values()) == {2}, "each ran twice: once to its end"
        await arena.stop_workers()


@pytest.mark.parametrize("broker_url", BROKERS, indirect=True)
async def test_calls_end_in_time_however_often_workers_are_killed(tmp_path: Path, broker_url: str) -> None:
    app, answer = caller(broker_url)
    async with Arena(tmp_path, seed=5, broker_url=broker_url) as arena, app:
        for _ in range(2):
            await arena.start_worker("--concurrency", "8")
        calls = calling(answer, range(200), milliseconds=150, deadline=15)
        for _ in range(5):
            await asyncio.sleep(arena.chance.uniform(0.5, 1.0))
            await arena.kill_one("--concurrency", "8")
        ends = await calls
        ended = check(app, ends)
        # Work that was there at three deaths is given up, and its caller told; it is no fault of the broker.
        assert ended["answered"] + ended["failed"] == 200, f"{ended}\n{why(ends)}\n{arena.last_words()}"
        assert ended["answered"] >= 150
        await arena.stop_workers()


@pytest.mark.parametrize(
    ("broker_url", "kind"),
    [
        ("sqlite", "durable"),
        pytest.param("rabbitmq", "durable", marks=pytest.mark.servers),
        pytest.param("rabbitmq", "exclusive", marks=pytest.mark.servers),
    ],
    indirect=["broker_url"],
)
async def test_the_answers_to_a_killed_caller_are_undeliverable_and_nothing_is_left_behind(
    broker_url: str, kind: Literal["durable", "exclusive"]
) -> None:
    worker = Goatherd("faults", broker_url=broker_url, lease=3)
    released = asyncio.Event()
    begun: list[int] = []

    @worker.task(name="answer")
    async def answers(number: int, milliseconds: int) -> int:
        begun.append(number)
        await released.wait()
        return number

    async with worker.serve("worker"):
        asker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.faults.asker", "10", "1", "0.5"),
            cwd=ROOT,
            env={**os.environ, "GOATHERD_BROKER_URL": broker_url, "GOATHERD_REPLY_QUEUE": kind},
            stdout=asyncio.subprocess.PIPE,
        )
        assert asker.stdout is not None
        replies = (await asyncio.wait_for(asker.stdout.readline(), 30)).decode().strip()
        await until(lambda: len(begun) == 10, "the start of all calls")
        asker.kill()
        await asker.wait()
        await until(lambda: _is_gone(worker, replies), "the caller's queue to be gone")
        released.set()
        await until(lambda: _undeliverable(worker) == 10, "all answers to be undeliverable")
        await until(lambda: _nothing_waits(worker), "the requests to be over")
        assert worker.meter.readings().ended == {("faults", "answer", "done"): 10}
        assert [letter async for letter in worker.session().ports.dead_letters.find(LetterFilter())] == []


def _undeliverable(app: Goatherd) -> int:
    return app.meter.readings().answers.get(("faults", "undeliverable"), 0)


async def _is_gone(app: Goatherd, queue: str) -> bool:
    return await post(app.session().ports, message(queue, correlation_id="none of theirs")) is not None


async def _nothing_waits(app: Goatherd) -> bool:
    return not any(state.ready or state.running for state in await app.session().ports.operations.queues())
