"""The broker dies or freezes in the middle of calls: those with time left complete, and none ends late."""

import asyncio
import time
from pathlib import Path
from typing import Literal

import pytest

from goatherd import Goatherd
from scripts.servers.rabbitmq import RabbitMQ
from tests.faults.arena import QUEUE_IS_WRITTEN_DOWN_AFTER, Arena
from tests.faults.callers import End, accepted, caller, calling, check, why
from tests.faults.history import History
from tests.faults.watching import until

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("harmed broker"), pytest.mark.timeout(180)]

CALLS = 100
OPTIONS = ("--concurrency", str(CALLS))


def started(arena: Arena) -> int:
    return len(History.read(arena.journal).starts)


async def at_work(app: Goatherd, arena: Arena) -> list[End]:
    """Wait until a broker that is killed still knows our queues, as it knows those of every process at work."""
    ends = await calling(app.tasks["answer"], [-1], milliseconds=1, deadline=30)
    assert ends[0].outcome == "answered", arena.last_words()
    await asyncio.sleep(QUEUE_IS_WRITTEN_DOWN_AFTER)
    return ends


async def in_the_middle(app: Goatherd, arena: Arena, *, running: int) -> None:
    """Wait until the broker has every request and so many are being worked on."""
    await until(lambda: accepted(app), "the broker to have all requests")
    await until(lambda: started(arena) >= running, "the middle of the calls")


async def restart(rabbitmq: RabbitMQ) -> None:
    await asyncio.to_thread(rabbitmq.kill)
    await asyncio.to_thread(rabbitmq.start)


@pytest.mark.parametrize("queue_type", ["quorum", pytest.param("classic", marks=pytest.mark.chaos)])
async def test_calls_complete_though_the_broker_was_killed_in_the_middle_of_them(
    tmp_path: Path, rabbitmq: RabbitMQ, amqp_url: str, queue_type: Literal["quorum", "classic"]
) -> None:
    app, answer = caller(amqp_url, queue_type=queue_type)
    async with Arena(tmp_path, seed=1, broker_url=amqp_url, queue_type=queue_type) as arena, app:
        await arena.start_worker("--concurrency", "50")
        ends = await at_work(app, arena)
        calls = calling(answer, range(CALLS), milliseconds=1_500, deadline=30)
        await in_the_middle(app, arena, running=50)
        await restart(rabbitmq)
        ends += await calls
        assert check(app, ends) == {"answered": CALLS + 1}, f"{why(ends)}\n{arena.last_words()}"
        await arena.stop_workers()
        starts = History.read(arena.journal).starts
        assert sum(starts.values()) - len(starts) <= CALLS, "nothing goes round and round"


async def test_calls_complete_though_the_broker_was_away_for_longer_than_a_publish_may_take(
    tmp_path: Path, rabbitmq: RabbitMQ, amqp_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOATHERD_PUBLISH_DEADLINE", "1")
    app, answer = caller(amqp_url, queue_type="classic")
    async with Arena(tmp_path, seed=1, broker_url=amqp_url, queue_type="classic") as arena, app:
        await arena.start_worker(*OPTIONS)
        ends = await at_work(app, arena)
        calls = calling(answer, range(20), milliseconds=1_000, deadline=40)
        await in_the_middle(app, arena, running=21)
        await asyncio.to_thread(rabbitmq.kill)
        await until(lambda: len(History.read(arena.journal).ends) == 21, "the end of all work")
        # Long enough for every answer to be tried in vain.
        await asyncio.sleep(3)
        await asyncio.to_thread(rabbitmq.start)
        ends += await calls
        assert check(app, ends) == {"answered": 21}, f"{why(ends)}\n{arena.last_words()}"
        assert set(History.read(arena.journal).starts.values()) == {1}, "what was done is only told again"


async def test_with_an_exclusive_queue_each_call_ends_by_its_time_out(
    tmp_path: Path, rabbitmq: RabbitMQ, amqp_url: str
) -> None:
    app, answer = caller(amqp_url, reply_queue="exclusive", queue_type="classic")
    async with Arena(tmp_path, seed=1, broker_url=amqp_url, queue_type="classic") as arena, app:
        await arena.start_worker(*OPTIONS)
        ends = await at_work(app, arena)
        calls = calling(answer, range(CALLS), milliseconds=2_000, deadline=20)
        await in_the_middle(app, arena, running=50)
        await restart(rabbitmq)
        ends += await calls
        assert check(app, ends) == {"answered": 1, "timeout": CALLS}, why(ends)
        after = await calling(answer, range(5), milliseconds=1, deadline=20)
        assert {end.outcome for end in after} == {"answered"}, f"on a queue of a new name\n{why(after)}"


@pytest.mark.parametrize("kind", ["durable", pytest.param("exclusive", marks=pytest.mark.chaos)])
async def test_a_call_that_is_made_while_the_broker_is_away_is_unavailable_or_answered(
    tmp_path: Path, rabbitmq: RabbitMQ, amqp_url: str, kind: Literal["durable", "exclusive"]
) -> None:
    app, answer = caller(amqp_url, reply_queue=kind, queue_type="classic")
    async with Arena(tmp_path, seed=2, broker_url=amqp_url, queue_type="classic") as arena, app:
        await arena.start_worker()
        await until(lambda: "Taking jobs" in arena.last_words(), "the worker")
        await asyncio.to_thread(rabbitmq.kill)
        # Not even the queue for answers is there, and on an exclusive one not even its name.
        ends = await calling(answer, range(10), milliseconds=1, deadline=3)
        assert check(app, ends) == {"unavailable": 10}, why(ends)
        waiting = calling(answer, range(10), milliseconds=1, deadline=60)
        await asyncio.to_thread(rabbitmq.start)
        ends = await waiting
        assert {end.outcome for end in ends} <= {"answered", "unavailable"}, why(ends)
        ends = await calling(answer, range(10), milliseconds=1, deadline=30)
        assert {end.outcome for end in ends} == {"answered"}, f"{why(ends)}\n{arena.last_words()}"


@pytest.mark.parametrize("kind", ["durable", pytest.param("exclusive", marks=pytest.mark.chaos)])
async def test_a_frozen_broker_holds_no_call_beyond_its_deadline(
    tmp_path: Path, rabbitmq: RabbitMQ, amqp_url: str, kind: Literal["durable", "exclusive"]
) -> None:
    app, answer = caller(amqp_url, reply_queue=kind, publish_deadline=2.0)
    async with Arena(tmp_path, seed=1, broker_url=amqp_url) as arena, app:
        await arena.start_worker(*OPTIONS)
        ends = await calling(answer, range(5), milliseconds=1, deadline=20)
        under_way = calling(answer, range(20), milliseconds=1_000, deadline=4)
        await until(lambda: started(arena) == 25, "the start of all calls")
        rabbitmq.freeze()
        began = time.monotonic()
        fresh = calling(answer, range(20), milliseconds=1, deadline=3)
        ends += [*await under_way, *await fresh]
        assert time.monotonic() - began < 6
        assert {end.outcome for end in await fresh} == {"unavailable"}, "a frozen broker accepts nothing"
        assert {end.outcome for end in await under_way} == {"timeout"}
        check(app, ends)
        rabbitmq.thaw()
        again = await calling(answer, range(5), milliseconds=1, deadline=40)
        assert {end.outcome for end in again} == {"answered"}, f"{why(again)}\n{arena.last_words()}"


async def test_calls_outlive_a_short_frost(tmp_path: Path, rabbitmq: RabbitMQ, amqp_url: str) -> None:
    app, answer = caller(amqp_url)
    async with Arena(tmp_path, seed=1, broker_url=amqp_url) as arena, app:
        await arena.start_worker(*OPTIONS)
        calls = calling(answer, range(20), milliseconds=500, deadline=30)
        await until(lambda: started(arena) >= 10, "the middle of the calls")
        rabbitmq.freeze()
        await until(lambda: len(History.read(arena.journal).ends) >= 10, "the end of their work")
        await asyncio.sleep(1)
        rabbitmq.thaw()
        ends = await calls
        assert check(app, ends) == {"answered": 20}, why(ends)
