"""A tracked job at a worker: done once, begun anew when it is put back, known for as long as it waits."""

import asyncio
from collections.abc import Callable

import pytest

from goatherd import Context, Goatherd, JobFailed, Retry
from goatherd.errors import Unavailable
from goatherd.events import Failed, Retrying
from goatherd.model.message import Message
from tests.unit.engine.counting import Counter, kinds, spy_on_messages, told
from tests.unit.engine.stage import PATIENCE, HandClock, at_work, opened


@pytest.fixture
def counter(app: Goatherd) -> Counter:
    return Counter(app)


# --- once ------------------------------------------------------------------------------------------------------------


async def test_a_job_that_is_done_is_not_done_again(app: Goatherd, counter: Counter) -> None:
    async with at_work(app) as stage:
        sent = spy_on_messages(stage)
        run = await counter.task.start("once")
        assert await run.result(PATIENCE) == "once"
        await stage.saw("acked")
        await stage.broker.publish(list(sent))
        await stage.saw("acked", 2)
        assert counter.runs == ["once"]
        assert kinds(await told(run)) == ["Queued", "Started", "Done"]


async def test_a_job_that_failed_and_is_put_back_begins_anew(app: Goatherd, counter: Counter) -> None:
    async with at_work(app) as stage:
        run = await counter.task.start("bad")
        with pytest.raises(JobFailed, match="bad"):
            await run.result(PATIENCE)
        letter = await stage.letter()
        assert await stage.office.replay_one(letter.id)
        await stage.saw("buried", 2)
        assert counter.runs == ["bad", "bad"]
        events = await told(run)
        assert kinds(events) == ["Queued", "Started", "Failed"]


async def test_a_job_that_is_put_back_with_other_arguments_may_succeed(app: Goatherd, counter: Counter) -> None:
    async with at_work(app) as stage:
        run = await counter.task.start("bad")
        with pytest.raises(JobFailed):
            await run.result(PATIENCE)
        letter = await stage.letter()
        assert await stage.office.replay_one(letter.id, {"name": "good"})
        await counter.notes.saw("good")
        assert counter.runs == ["bad", "good"]
        assert await run.result(PATIENCE) == "good"
        assert kinds(await told(run)) == ["Queued", "Started", "Done"]


async def test_a_job_that_was_put_back_is_not_ended_by_the_news_of_its_death(app: Goatherd, counter: Counter) -> None:
    """The announcement of a dead letter may be read long after the letter was replayed."""
    async with at_work(app) as stage:
        run = await counter.task.start("bad")
        letter = await stage.letter()
        await stage.office.replay_one(letter.id, {"name": "good"})
        await counter.notes.saw("good")
        assert await run.result(PATIENCE) == "good"
        assert await run.status() == "done"


async def test_start_with_an_id_that_waits_sends_it_and_one_that_ended_does_not(
    app: Goatherd, counter: Counter
) -> None:
    async with opened(app) as stage:
        sent = spy_on_messages(stage)
        first = await counter.task.options(id="o1").start("one")
        again = await counter.task.options(id="o1").start("one")
        assert (first.id, again.id) == ("o1", "o1")
        assert {message.id for message in sent} == {"o1"}
    async with at_work(app) as stage:
        assert await app.run("o1").result(PATIENCE) == "one"
        sent = spy_on_messages(stage)
        assert await (await counter.task.options(id="o1").start("two")).result(PATIENCE) == "one"
        assert sent == []
    assert counter.runs == ["one"]


async def test_a_job_that_was_not_accepted_can_be_started_again_under_its_id(
    app: Goatherd, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(app) as stage:

        async def refuse(_messages: object) -> None:
            raise Unavailable("The broker is away.")

        with monkeypatch.context() as patched:
            patched.setattr(stage.broker, "publish", refuse)
            with pytest.raises(Unavailable):
                await counter.task.options(id="o1").start("one")
        with pytest.raises(JobFailed, match="The broker is away"):
            await app.run("o1").result()
        [_, ended] = await told(app.run("o1"))
        assert isinstance(ended, Failed)
        assert ended.reason == "lost"
        run = await counter.task.options(id="o1").start("one")
        assert await run.status() == "queued"
    async with at_work(app):
        assert await run.result(PATIENCE) == "one"
        assert kinds(await told(run)) == ["Queued", "Started", "Done"]


async def test_a_job_that_was_accepted_although_its_sender_was_told_otherwise_is_done(
    app: Goatherd, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_work(app) as stage:
        publish = stage.broker.publish

        async def and_then_the_line_is_cut(messages: list[Message]) -> None:
            await publish(messages)
            raise Unavailable("The answer was lost.")

        monkeypatch.setattr(stage.broker, "publish", and_then_the_line_is_cut)
        with pytest.raises(Unavailable):
            await counter.task.options(id="o1").start("one")
        await counter.notes.saw("one")
        async with asyncio.timeout(PATIENCE):
            while await app.run("o1").status() != "done":
                await asyncio.sleep(0.01)


# --- how long it is known --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("app", [{"event_ttl": 60}], indirect=True)
async def test_a_delayed_job_is_known_until_it_is_due(app: Goatherd, counter: Counter, clock: HandClock) -> None:
    async with opened(app):
        run = await counter.task.options(delay=100_000).start("later")
        clock.advance(100_030)
        assert await run.status() == "queued"
    async with at_work(app):
        assert await run.result(PATIENCE) == "later"


@pytest.mark.parametrize("app", [{"event_ttl": 60}], indirect=True)
async def test_a_job_that_waits_long_for_its_next_attempt_is_known(app: Goatherd, clock: HandClock) -> None:
    @app.task(retry=Retry(1, base=50_000, max=50_000, jitter=0))
    async def once_more(ctx: Context) -> int:
        if ctx.attempt == 1:
            raise ValueError("not yet")
        return ctx.attempt

    async with at_work(app) as stage:
        run = await once_more.start()
        await stage.saw("replaced")
        assert await run.status() == "retrying"
        clock.advance(50_001)
        assert await run.result(PATIENCE) == 2
        events = await told(run)
    assert kinds(events) == ["Queued", "Started", "Retrying", "Started", "Done"]
    [again] = [event for event in events if isinstance(event, Retrying)]
    assert (again.delay, again.error) == (50_000, "ValueError: not yet")


# --- without a store -----------------------------------------------------------------------------------------------


async def test_a_worker_whose_store_is_not_there_does_its_jobs(
    make_app: Callable[..., Goatherd], caplog: pytest.LogCaptureFixture
) -> None:
    sender, worker = make_app(), make_app(events_url="redis://127.0.0.1:1/0")
    theirs, counter = Counter(sender), Counter(worker)
    async with opened(sender):
        await theirs.task.start("one")
        await theirs.task.start("bad two")
    async with at_work(worker) as stage:
        await stage.saw("acked")
        await stage.saw("buried")
        assert sorted(counter.runs) == ["bad two", "one"]
    lost = worker.meter.readings().events_lost
    assert lost["store away"] >= 4, "two beginnings and two ends"
    assert "Events cannot be written for now" in caplog.text
