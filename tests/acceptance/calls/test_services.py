"""Services that answer on a queue which all their clients share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from goatherd import CallTimeout, Goatherd, Run, Task
from goatherd.errors import DefinitionError, UnknownJob
from goatherd.model.dead_letter import LetterFilter


class Report(msgspec.Struct):
    job_id: str
    status: str
    data: dict[str, Any] = {}


def service(broker_url: str) -> Goatherd:
    """A crawler by other people, as far as clients know."""
    app = Goatherd("crawler", broker_url=broker_url)
    answers = app.queue("crawl_answers", format="plain", type="classic")

    @app.task(queue=answers, remote=True)
    async def answer(report: Report, /) -> None:
        raise NotImplementedError

    @app.task(queue=app.queue("crawl_requests", format="plain", type="classic"))
    async def crawl(job_id: str, url: str) -> None:
        await answer.send(Report(job_id, "in_progress"))
        if url != "silence":
            await answer.send(Report(job_id, "failed" if url == "nowhere" else "done", {"url": url}))

    return app


class Client:
    """One process of a program that uses it."""

    def __init__(self, broker_url: str, events_url: str) -> None:
        # The events of all stories are on one server.
        self.mark = uuid4().hex[:8]
        self.app = Goatherd("client", broker_url=broker_url, events_url=events_url)
        requests = self.app.queue(
            "crawl_requests", format="plain", type="classic", prefetch=10,
            answers_on="crawl_answers", match="job_id", until={"status": ["done", "failed"]},
        )  # fmt: skip

        @self.app.task(queue=requests, remote=True, deadline=20)
        async def crawl(url: str) -> Report:
            raise NotImplementedError("the crawler does this")

        self.crawl = crawl


@asynccontextmanager
async def stranger(broker_url: str) -> AsyncIterator[Task[[Any], None]]:
    """Somebody else who writes to the queue of answers."""
    app = Goatherd("stranger", broker_url=broker_url)

    @app.task(queue=app.queue("crawl_answers", format="plain", type="classic"), remote=True)
    async def say(anything: Any, /) -> None:
        raise NotImplementedError

    async with app:
        yield say


async def is_running(run: Run[Any]) -> bool:
    try:
        return await run.status() == "running"
    except UnknownJob:
        return False


@pytest.fixture
def client(broker_url: str, events_url: str) -> Client:
    return Client(broker_url, events_url)


async def test_the_answer_that_fits_is_the_result(client: Client, broker_url: str) -> None:
    async with service(broker_url).serve("worker"), client.app:
        report = await client.crawl.options(id=f"j1-{client.mark}").call("https://example.org")
        assert report == Report(f"j1-{client.mark}", "done", {"url": "https://example.org"})
        assert (await client.crawl.call("nowhere")).status == "failed"


async def test_nobody_need_wait_to_ask_later(client: Client, broker_url: str) -> None:
    async with client.app:
        run = await client.crawl.start("https://example.org")
        assert await run.status() == "queued"
        async with service(broker_url).serve("worker"):
            assert (await run.result(20)).data == {"url": "https://example.org"}
        assert await client.app.run(run.id).status() == "done"
        assert (await client.app.run(run.id, of=client.crawl).result()).job_id == run.id


async def test_word_on_the_way_is_progress_and_no_answer_is_a_time_out(client: Client, broker_url: str) -> None:
    async with service(broker_url).serve("worker"), client.app:
        quiet = f"quiet-{client.mark}"
        calling = asyncio.create_task(client.crawl.options(id=quiet, deadline=3).call("silence"))
        async with asyncio.timeout(3):
            while not await is_running(client.app.run(quiet)):
                await asyncio.sleep(0.01)
        with pytest.raises(CallTimeout, match="within 3 s"):
            await calling
        assert await client.app.run(quiet).status() == "expired"
        async with stranger(broker_url) as say:
            await say.send({"job_id": quiet, "status": "done"})
            async with asyncio.timeout(20):
                while not client.app.meter.readings().strays.get("late"):
                    await asyncio.sleep(0.01)
        assert await client.app.run(quiet).status() == "expired", "what comes late changes nothing"


async def test_an_answer_taken_by_one_process_reaches_the_one_that_waits(
    client: Client, broker_url: str, events_url: str
) -> None:
    others = [Client(broker_url, events_url) for _ in range(3)]
    async with service(broker_url).serve("worker"), client.app:
        for other in others:
            await other.app.__aenter__()
            await other.app.session().see_to("answers")
        try:
            ids = [f"n{number}-{client.mark}" for number in range(60)]
            calls = [client.crawl.options(id=id).call(str(number)) for number, id in enumerate(ids)]
            reports = await asyncio.gather(*calls)
        finally:
            for other in others:
                await other.app.__aexit__(None, None, None)
    assert [report.data["url"] for report in reports] == [str(number) for number in range(60)]
    assert [report.job_id for report in reports] == ids


async def test_what_is_no_answer_is_a_dead_letter_and_hurts_nobody(client: Client, broker_url: str) -> None:
    async with service(broker_url).serve("worker"), client.app, stranger(broker_url) as say:
        await say.send(["no object"])
        await say.send({"status": "done"})
        await say.send({"job_id": "of somebody else", "status": "done"})
        assert (await client.crawl.call("https://example.org")).status == "done"
        letters = client.app.session().ports.dead_letters
        async with asyncio.timeout(20):
            while len(found := [letter async for letter in letters.find(LetterFilter())]) < 2:
                await asyncio.sleep(0.01)
    assert {letter.burial.reason for letter in found} == {"gave_up"}
    assert "status" in "".join(letter.original.body.decode() for letter in found)


async def test_unknown_jobs_are_told(client: Client) -> None:
    async with client.app:
        with pytest.raises(UnknownJob, match="never-heard-of"):
            await client.app.run("never-heard-of").status()


def test_a_description_that_is_not_whole_is_refused() -> None:
    app = Goatherd("client")
    with pytest.raises(DefinitionError, match="match="):
        app.queue("a", format="plain", answers_on="b")
    with pytest.raises(DefinitionError, match="answers_on="):
        app.queue("c", format="plain", match="job_id")
    with pytest.raises(DefinitionError, match="list of values"):
        app.queue("d", format="plain", answers_on="b", match="job_id", until={"status": "done"})
