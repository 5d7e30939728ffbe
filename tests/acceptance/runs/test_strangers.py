"""Tasks that are always tracked, and what programs that know nothing of Goatherd send to them."""

import asyncio
import json
from types import ModuleType
from uuid import uuid4

import pytest

from goatherd import JobFailed
from goatherd.errors import UnknownJob
from goatherd.events import Done, Failed
from goatherd.model.message import Message
from tests.acceptance.runs.notes import PATIENCE, kinds, told


async def post(office: ModuleType, queue: str, body: object) -> str:
    """Put a message onto a queue as another program would; its id."""
    job = uuid4().hex
    message = Message(id=job, queue=queue, body=json.dumps(body).encode())
    await office.app.session().ports.broker.publish([message])
    return job


async def ended(office: ModuleType, job: str) -> list[str]:
    """What its watchers see; a stranger's job is known as soon as a worker has it."""
    run = office.app.run(job)
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return kinds(await told(run))
            except UnknownJob:
                await asyncio.sleep(0.01)


async def test_plain_messages_of_strangers_are_tracked(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        job = await post(office, "plain", {"item": "cake"})
        assert await ended(office, job) == ["Started", "Done"]
        assert await office.app.run(job, of=office.plain_order).result() == "one cake"


async def test_taskiq_messages_are_tracked(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        body = {"task_id": "t1", "task_name": "office:order", "labels": {}, "args": ["cake"], "kwargs": {}}
        job = uuid4().hex
        await office.app.session().ports.broker.publish(
            [Message(id=job, queue="taskiq", body=json.dumps({**body, "task_id": job}).encode())]
        )
        assert await ended(office, job) == ["Started", "Done"]
        [*_, done] = await told(office.app.run(job))
        assert isinstance(done, Done)
        assert done.result == "one cake"


async def test_arguments_of_strangers_that_do_not_fit_are_told(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        job = await post(office, "plain", {"item": 5})
        assert await ended(office, job) == ["Failed"]
        [failed] = await told(office.app.run(job))
        assert isinstance(failed, Failed)
        assert failed.error == "InvalidArguments"
        with pytest.raises(JobFailed):
            await office.app.run(job).result(PATIENCE)


async def test_our_own_send_to_a_tracked_task_is_known_at_once(office: ModuleType) -> None:
    async with office.app:
        job = await office.taskiq_order.send("cake")
        assert await office.app.run(job).status() == "queued"
    async with office.app.serve("worker"):
        assert await office.app.run(job, of=office.taskiq_order).result(PATIENCE) == "one cake"
        assert await ended(office, job) == ["Queued", "Started", "Done"]
