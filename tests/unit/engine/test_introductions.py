"""Whoever notes a job first says what it is, so that it is found in the history."""

import asyncio

import msgspec
import pytest

from goatherd import Goatherd
from goatherd.engine import noting
from goatherd.errors import Unavailable
from goatherd.model.admission import Append, Outcome
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


@pytest.mark.parametrize("app", [{"track_all": True}], indirect=True)
@pytest.mark.parametrize("answers", [True, False])
async def test_while_events_cannot_be_kept_jobs_are_sent_all_the_same(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, answers: bool
) -> None:
    @app.task
    async def mail(to: str) -> None: ...

    monkeypatch.setattr(noting, "NOTED_WITHIN", 0.05 if not answers else PATIENCE)
    async with app:
        session = app.session()
        events = await session.events()
        tried: list[str] = []

        async def away(job_id: str, _: Append) -> Outcome:
            tried.append(job_id)
            if not answers:
                await asyncio.Event().wait()
            raise Unavailable("The store is away.")

        with monkeypatch.context() as patch:
            patch.setattr(events, "append", away)
            assert await mail.options(id="sent-job").send("ada") == "sent-job"
            # Nobody waits for the store each time.
            assert await mail.options(id="next-job").send("bob") == "next-job"
            assert tried == ["sent-job"]
            if answers:
                with pytest.raises(Unavailable, match="away"):
                    await mail.options(id="started-job").start("eve")
        assert len([each for each in caplog.messages if "without a note" in each]) == 1
        async with at_work(app), app.serve("router"):
            job = await found(app, "sent-job")
            assert about(job).arguments == b'{"to":"ada"}'
            await found(app, "next-job")


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
