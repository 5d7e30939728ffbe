"""A worker that lost its broker, its connection or its queue goes on when it is back, and says so."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest

from goatherd.model.topology import Queue
from scripts.servers.addresses import management
from scripts.servers.proxy import Proxy
from tests.faults.arena import Arena
from tests.faults.herd import work
from tests.faults.history import History
from tests.faults.watching import until
from tests.faults.worker_logs import entries

pytestmark = pytest.mark.servers


@pytest.fixture
async def arena(tmp_path: Path, proxied_url: str) -> AsyncIterator[Arena]:
    async with Arena(tmp_path, seed=1, broker_url=proxied_url) as opened, opened.app:
        yield opened


def said(arena: Arena, text: str) -> bool:
    return any(text in entry["message"] for entry in entries(arena.folder))


def started(arena: Arena, job: str) -> bool:
    return History.read(arena.journal).starts[job] > 0


def done(arena: Arena, job: str) -> bool:
    return History.read(arena.journal).ends[job] > 0


async def consumers(arena: Arena) -> int:
    [state] = await arena.app.session().ports.operations.queues()
    return state.consumers


async def send(arena: Arena, milliseconds: int) -> str:
    [job] = await arena.app.send_many([work.job(milliseconds=milliseconds)])
    return job


async def test_a_worker_goes_on_when_its_broker_is_back_and_says_so(arena: Arena, proxy: Proxy) -> None:
    await arena.start_worker()
    first = await send(arena, 1)
    await until(lambda: done(arena, first), "the first job")
    proxy.refuse()
    proxy.cut()
    await until(lambda: said(arena, "'faults consume' to") and said(arena, "was lost"), "a word about the loss")
    proxy.refuse(refusing=False)
    second = await send(arena, 1)
    await until(lambda: done(arena, second), "a job after the loss")
    assert said(arena, "is back")


async def test_a_cut_makes_no_job_run_twice_in_the_same_worker(arena: Arena, proxy: Proxy) -> None:
    """What runs goes on and settles what comes again; what waited is dropped and comes again."""
    await arena.start_worker("--concurrency", "1")
    jobs = [await send(arena, milliseconds) for milliseconds in (1500, 1, 1)]
    await until(lambda: started(arena, jobs[0]), "the first start")
    proxy.cut()
    await until(lambda: said(arena, "'faults consume' to") and said(arena, "is back"), "the consumer")
    await arena.at_rest(jobs)
    assert History.read(arena.journal).starts == dict.fromkeys(jobs, 1)
    await arena.stop_workers()
    [state] = await arena.app.session().ports.operations.queues()
    assert state.ready == 0, "the run settled what came again"


async def test_a_job_that_ended_while_the_broker_was_away_is_not_run_again_by_its_worker(
    arena: Arena, proxy: Proxy
) -> None:
    await arena.start_worker()
    job = await send(arena, 300)
    await until(lambda: started(arena, job), "the start")
    proxy.refuse()
    proxy.cut()
    await until(lambda: done(arena, job), "the end")
    proxy.refuse(refusing=False)
    other = await send(arena, 1)
    await arena.at_rest([job, other])
    assert History.read(arena.journal).starts == {job: 1, other: 1}
    await arena.stop_workers()
    [state] = await arena.app.session().ports.operations.queues()
    assert state.ready == 0, "the broker was told when it came again"


async def test_a_queue_that_was_deleted_is_taken_from_again_when_it_is_back(
    arena: Arena, proxy: Proxy, shared_virtual_host: str
) -> None:
    await arena.start_worker()
    await until(lambda: said(arena, "Taking jobs"), "the worker")
    management().ask("DELETE", f"queues/{quote(shared_virtual_host)}/faults")
    await until(lambda: said(arena, "The consumer of queue 'faults' has ended"), "a word about the loss")
    await arena.app.session().ports.broker.declare([Queue(name="faults")])
    job = await send(arena, 1)
    await until(lambda: done(arena, job), "a job on the new queue")
    await until(lambda: said(arena, "Recovered the consumer of queue 'faults'"), "a word about the recovery")
    # Losing the connection in addition must not leave two consumers behind.
    proxy.cut()
    again = await send(arena, 1)
    await until(lambda: done(arena, again), "a job on the new connection")
    assert await consumers(arena) == 1


async def test_a_queue_deleted_while_the_connection_is_away_is_made_again_and_has_one_consumer(
    arena: Arena, proxy: Proxy, shared_virtual_host: str
) -> None:
    await arena.start_worker()
    await until(lambda: said(arena, "Taking jobs"), "the worker")
    proxy.refuse()
    proxy.cut()
    management().ask("DELETE", f"queues/{quote(shared_virtual_host)}/faults")
    proxy.refuse(refusing=False)
    job = await send(arena, 1)
    await until(lambda: done(arena, job), "a job on the new queue")
    assert await consumers(arena) == 1


async def test_a_broker_that_came_back_with_another_queue_is_tried_until_it_is_mended(
    arena: Arena, proxy: Proxy, shared_virtual_host: str
) -> None:
    path = f"queues/{quote(shared_virtual_host)}/faults"
    await arena.start_worker()
    await until(lambda: said(arena, "Taking jobs"), "the worker")
    proxy.refuse()
    proxy.cut()
    management().ask("DELETE", path)
    management().ask("PUT", path, {"durable": True})
    proxy.refuse(refusing=False)
    await until(lambda: said(arena, "but this program wants"), "what is wrong")
    management().ask("DELETE", path)
    job = await send(arena, 1)
    await until(lambda: done(arena, job), "a job after it was mended")


async def test_a_handshake_that_was_given_up_does_not_come_alive_later(arena: Arena, proxy: Proxy) -> None:
    """A broker that thaws answers everyone who knocked meanwhile; only those who still want it may stay."""
    assert proxy.connections == 2
    proxy.stall()
    proxy.cut()
    await until(lambda: proxy.connections >= 2, "the first try")
    # Each link gives up after five seconds and tries again.
    await until(lambda: arena.app.session().ports.broker.state == "down", "a try that was given up")
    await until(lambda: proxy.connections >= 4, "another try", patience=40)
    proxy.flow()
    await send(arena, 1)
    await until(lambda: proxy.connections == 2, "the rest to be gone")
