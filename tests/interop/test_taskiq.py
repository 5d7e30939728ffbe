"""A real TaskIQ producer sends to our worker, and a real TaskIQ worker does what we send."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from taskiq import AsyncTaskiqTask
from taskiq_aio_pika import AioPikaBroker

from goatherd import Context, Goatherd, Queue
from tests.interop.stage import PATIENCE, Told, letters_of

pytestmark = pytest.mark.servers

ROOT = Path(__file__).parents[2]
#: TaskIQ's worker is a family of processes, each of which imports the program.
TASKIQ_STARTS_WITHIN = 40.0


@pytest.fixture
def app(url: str) -> Goatherd:
    return Goatherd("kitchen", broker_url=url)


@pytest.fixture
def tasks(app: Goatherd) -> Queue:
    """TaskIQ's queue with exactly the arguments that TaskIQ gives it."""
    return app.queue("taskiq", format="taskiq", type="quorum", dead_letter=("", "taskiq.dead_letter"))


@pytest.fixture
async def producer(url: str) -> AsyncIterator[AioPikaBroker]:
    broker = AioPikaBroker(url)
    await broker.startup()
    yield broker
    await broker.shutdown()


async def kick(producer: AioPikaBroker, *args: object, **kwargs: object) -> "AsyncTaskiqTask[None]":
    @producer.task(task_name="kitchen:cook")
    async def cook(dish: str, guests: int = 1) -> None:
        raise NotImplementedError("the worker does this")

    return await cook.kicker().with_labels(tenant="north").kiq(*args, **kwargs)


async def test_a_taskiq_producer_sends_to_our_worker(app: Goatherd, tasks: Queue, producer: AioPikaBroker) -> None:
    told = Told()

    @app.task(queue=tasks, name="kitchen:cook")
    async def cook(ctx: Context, dish: str, guests: int = 1) -> None:
        told((ctx.job_id, dish, guests))

    async with app.serve("worker"):
        first = await kick(producer, "soup", guests=2)
        second = await kick(producer, dish="bread")
        assert await told.next() == (first.task_id, "soup", 2)
        assert await told.next() == (second.task_id, "bread", 1)


async def test_arguments_that_do_not_fit_are_a_dead_letter(
    app: Goatherd, tasks: Queue, producer: AioPikaBroker
) -> None:
    @app.task(queue=tasks, name="kitchen:cook")
    async def cook(dish: str) -> None: ...

    letters = letters_of(app)
    async with app.serve("worker"):
        sent = await kick(producer, 7)
        letter = await letters.next()
        assert (letter.reason, letter.job_id, letter.task) == ("invalid", sent.task_id, "kitchen:cook")


async def test_a_taskiq_worker_does_what_we_send(app: Goatherd, tasks: Queue, url: str) -> None:
    @app.task(queue=tasks, name="kitchen:cook", remote=True)
    async def cook(dish: str, guests: int = 1) -> None:
        raise NotImplementedError("TaskIQ does this")

    async with taskiq_worker(url) as told, app:
        await cook.send("soup", guests=2)
        await cook.send("bread")
        await cook.options(delay=0.2).send("cake")
        async with asyncio.timeout(TASKIQ_STARTS_WITHIN):
            done = {await told.get() for _ in range(3)}
    assert done == {"2 x soup", "1 x bread", "1 x cake"}


@asynccontextmanager
async def taskiq_worker(url: str) -> AsyncIterator["asyncio.Queue[str]"]:
    """A TaskIQ worker in processes of its own, and what its tasks tell."""
    told: asyncio.Queue[str] = asyncio.Queue()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told.put_nowait((await reader.read()).decode())
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        environment = {**os.environ, "TASKIQ_URL": url, "TASKIQ_TELLS": str(port), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "taskiq", "worker", "tests.interop.taskiq_program:broker", "--workers", "1"]
        process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, env=environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        try:
            yield told
        finally:
            await end(process)


async def end(process: asyncio.subprocess.Process) -> None:
    """Stop it in good order; a family that does not go is killed."""
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), PATIENCE)
    except TimeoutError:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
