"""Whoever notes a job first says what it is, so that it is found in the history."""

import asyncio

import msgspec
import pytest

from goatherd import Goatherd
from goatherd.model.job_record import About
from goatherd.model.job_search import FoundJob, JobFilter
from tests.unit.engine.stage import PATIENCE, at_work


async def found(app: Goatherd, id: str, status: str = "done") -> FoundJob:
    """The job in the history, once it stands so."""
    search = await app.session().control_records.jobs()
    async with asyncio.timeout(PATIENCE):
        while True:
            for job in (await search.search(JobFilter(text=id), 10)).jobs:
                if job.job == id and job.status == status:
                    return job
            await asyncio.sleep(0.01)


def about(job: FoundJob) -> About:
    return About(task=job.task, queue=job.queue, key=job.key, arguments=job.arguments, kind=job.kind)


async def test_a_started_job_is_introduced_by_its_sender(app: Goatherd) -> None:
    @app.task(queue="slow", key="to")
    async def mail(to: str, password: str = "") -> None: ...

    async with at_work(app), app.serve("router"):
        await mail.options(id="first-job").start("ada", password="x")
        job = await found(app, "first-job")
    arguments = msgspec.json.encode({"to": "ada", "password": "***"})
    assert about(job) == About(task="mail", queue="slow", key="slow/to=ada", arguments=arguments)


@pytest.mark.parametrize("app", [{"track_all": True}], indirect=True)
async def test_with_track_all_every_job_is_found_however_it_is_sent(app: Goatherd) -> None:
    @app.task
    async def mail(to: str) -> None: ...

    async with at_work(app), app.serve("router"):
        assert await mail.options(id="sent-job").send("ada") == "sent-job"
        await app.send_many([mail.options(id="one-of-many").job("bob")])
        sent, many = await found(app, "sent-job"), await found(app, "one-of-many")
        assert about(sent) == About(task="mail", queue=app.settings.default_queue, arguments=b'{"to":"ada"}')
        assert about(many) == About(task="mail", queue=app.settings.default_queue, arguments=b'{"to":"bob"}')
        assert sent.queued_at is not None
        search = await app.session().control_records.jobs()
        page = await search.search(JobFilter(text="bob", task="mail", status="done"), 10)
        assert [job.job for job in page.jobs] == ["one-of-many"]


async def test_without_it_what_is_sent_leaves_no_trace(app: Goatherd) -> None:
    done = asyncio.Event()

    @app.task
    async def mail(to: str) -> None:
        done.set()

    @app.task
    async def watched() -> None: ...

    async with at_work(app), app.serve("router"):
        await mail.send("ada")
        await asyncio.wait_for(done.wait(), PATIENCE)
        await watched.options(id="watched-job").start()
        await found(app, "watched-job")
        search = await app.session().control_records.jobs()
        assert [job.task for job in (await search.search(JobFilter(), 10)).jobs] == ["watched"]
