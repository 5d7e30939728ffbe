"""Jobs of a real app on a file, with a worker and a router."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from goatherd.desk import jobs
from goatherd.desk.errors import NotNow, NotThere
from goatherd.desk.job_facts import JobFacts
from goatherd.desk.jobs import JobChoice
from goatherd.errors import JobFailed, Unavailable
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop, make_shop

#: Seconds that a step may take on a busy machine before the test fails.
PATIENCE = 30.0


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Shop]:
    shop = make_shop(broker_url=f"sqlite:///{tmp_path}/shop.db")
    async with shop.app.serve("worker", "router"):
        yield shop


async def until(look: Callable[[], Awaitable[Any]], wanted: Callable[[Any], bool]) -> Any:
    """Look until it is as wanted: routers follow a moment later."""
    async with asyncio.timeout(PATIENCE):
        while not wanted(found := await look()):
            await asyncio.sleep(0.02)
    return found


async def test_a_job_is_found_with_all_that_is_known_of_it(served: Shop) -> None:
    run = await served.tell.start(3)
    await run.result(timeout=PATIENCE)
    page = await until(
        lambda: jobs.search(served.app, JobChoice(task="tell")),
        lambda page: page.jobs and page.jobs[0].status == "done",
    )
    assert [line.id for line in page.jobs] == [run.id]
    facts: JobFacts = await jobs.job(served.app, run.id)
    assert (facts.task, facts.queue, facts.arguments) == ("tell", "shop", {"words": 3})
    assert (facts.status, facts.has_result, facts.result, facts.watchable, facts.open) == (
        "done", True, "told", True, False,
    )  # fmt: skip
    assert facts.created_at is not None
    assert facts.ended_at is not None
    assert (await jobs.counts(served.app))["done"] >= 1
    assert {"tell", "mail", "bake"} <= set(await jobs.task_names(served.app))


async def test_a_job_that_no_router_has_seen_yet_tells_of_itself(shop: Shop, herd: Herd) -> None:
    run = await shop.tell.start(3)
    facts = await jobs.job(shop.app, run.id)
    assert (facts.source, facts.task, facts.queue, facts.arguments) == ("events", "tell", "shop", {"words": 3})
    assert (facts.status, facts.open, facts.created_at) == ("queued", True, herd.now)
    await herd.drain()
    assert (await jobs.job(shop.app, run.id)).result == "told"


async def test_a_timeline_tells_text_together_and_stays_when_events_are_gone(served: Shop) -> None:
    run = await served.tell.start(3)
    await run.result(timeout=PATIENCE)
    line = await jobs.timeline(served.app, run.id)
    assert line.kept
    assert line.text == "word0 word1 word2 "
    kinds = [event.kind for event in line.events]
    assert kinds == ["queued", "started", "progress", "token", "done"]
    assert line.events[3].told == "wrote 18 characters"
    assert line.events[2].percent == 50
    await until(lambda: jobs.search(served.app), lambda page: page.jobs and page.jobs[0].status == "done")
    await (await served.app.session().events()).forget(run.id)
    line = await jobs.timeline(served.app, run.id)
    assert [event.kind for event in line.events] == ["queued", "started", "done"]
    assert not line.kept
    facts = await jobs.job(served.app, run.id)
    assert (facts.source, facts.result, facts.watchable) == ("history", "told", False)


async def test_a_failed_job_is_joined_by_its_dead_letter(served: Shop) -> None:
    run = await served.refuse.start(7, password="hush")
    with pytest.raises(JobFailed):
        await run.result(timeout=PATIENCE)
    facts = await until(lambda: jobs.job(served.app, run.id), lambda facts: facts.letter is not None)
    assert (facts.status, facts.error, facts.letter.job_id) == ("failed", "LookupError", run.id)
    assert "raise LookupError" in facts.traceback
    assert "hush" not in repr(facts)


async def test_a_dead_letter_is_a_job_that_nobody_tracked(served: Shop) -> None:
    job_id = await served.refuse.send(8)
    app = served.app
    page = await until(lambda: jobs.search(app, JobChoice(text="customer 8")), lambda page: page.letters)
    assert [line.job_id for line in page.letters] == [job_id]
    facts = await jobs.job(app, job_id)
    assert (facts.kind, facts.source, facts.status, facts.task) == ("letter", "letter", "failed", "refuse")
    assert facts.arguments == {"customer": 8}
    assert (await jobs.timeline(app, job_id)).events == ()
    only = await jobs.search(app, JobChoice(kind="letter"))
    assert (only.jobs, [line.job_id for line in only.letters]) == ((), [job_id])
    assert (await jobs.search(app, JobChoice(text="customer 8", status="done"))).letters == ()
    assert (await jobs.search(app, JobChoice(text="customer 8", task="mail"))).letters == ()


async def test_a_run_is_a_job_too(served: Shop) -> None:
    run = await served.bake.options(id="cake-1").start("cake")
    await run.result(timeout=PATIENCE)
    facts = await jobs.job(served.app, "cake-1")
    assert facts.run is not None
    assert (facts.task, facts.status, facts.arguments) == ("bake", "done", "cake")
    await until(lambda: jobs.search(served.app), lambda page: page.jobs and page.jobs[0].status == "done")
    await (await served.app.session().events()).forget("cake-1")
    facts = await jobs.job(served.app, "cake-1")
    assert (facts.source, facts.kind, facts.result) == ("run", "run", "iced cake and iced cake")


async def test_pages_follow_each_other(served: Shop) -> None:
    ids = [(await served.tell.start(1)).id for _ in range(5)]
    app = served.app
    await until(lambda: jobs.search(app), lambda page: len(page.jobs) == 5)
    first = await jobs.search(app, limit=3)
    rest = await jobs.search(app, limit=3, before=first.next)
    assert [line.id for line in (*first.jobs, *rest.jobs)] == ids[::-1]
    assert rest.next is None
    with pytest.raises(NotThere):
        await jobs.search(app, before="nowhere")


async def test_a_job_is_cancelled_once(served: Shop) -> None:
    run = await served.tell.options(delay=3600).start(1)
    await jobs.cancel(served.app, run.id)
    assert (await jobs.job(served.app, run.id)).status == "cancelled"
    with pytest.raises(NotNow, match="had ended"):
        await jobs.cancel(served.app, run.id)


async def test_a_job_that_is_not_there(served: Shop) -> None:
    for ask in (jobs.job, jobs.timeline, jobs.cancel):
        with pytest.raises(NotThere, match="No job 'nothing' is known"):
            await ask(served.app, "nothing")


async def test_what_others_know_is_told_while_one_is_away(served: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    run = await served.tell.start(1)
    await run.result(timeout=PATIENCE)
    await until(lambda: jobs.search(served.app), lambda page: page.jobs and page.jobs[0].status == "done")
    session = served.app.session()

    async def away() -> Any:
        raise Unavailable("the events are away")

    monkeypatch.setattr(session, "events", away)
    facts = await jobs.job(served.app, run.id)
    assert (facts.source, facts.status, facts.troubles) == ("history", "done", ("the events are away",))
    with pytest.raises(Unavailable, match="the events are away"):
        await jobs.job(served.app, "nothing")
