"""A tracked job at a worker: done once, begun anew when it is put back, stopped when it has ended elsewhere."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest

from goatherd import Context, Goatherd, JobFailed, Retry
from goatherd.errors import JobCancelled, Unavailable
from goatherd.events import Done, Event, Failed, Retrying, Started
from goatherd.model.admission import Append
from goatherd.model.event import Failed as FailedInLog
from goatherd.model.message import TRACKED, Message
from goatherd.run import Run
from tests.unit.engine.stage import PATIENCE, HandClock, Notes, Stage, at_work, opened


class Counter:
    """A task that counts how often it runs, and fails for some."""

    def __init__(self, app: Goatherd) -> None:
        self.runs: list[str] = []
        self.notes = Notes()

        @app.task
        async def count(name: str) -> str:
            self.runs.append(name)
            self.notes(name)
            if name.startswith("bad"):
                raise ValueError(name)
            return name

        self.task = count


@pytest.fixture
def counter(app: Goatherd) -> Counter:
    return Counter(app)


async def told(run: Run[object]) -> list[Event]:
    async with asyncio.timeout(PATIENCE):
        return [event async for event in run.events()]


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


async def post_again(stage: Stage, publish: list[Message]) -> None:
    await stage.broker.publish(publish)


def spy_on_messages(stage: Stage) -> list[Message]:
    """What the app sends from now on."""
    broker, sent = stage.broker, list[Message]()
    publish = broker.publish

    async def noting(messages: list[Message]) -> None:
        sent.extend(messages)
        await publish(messages)

    broker.publish = noting  # type: ignore[method-assign,assignment]  # that is how one listens in
    return sent


# --- once ----------------------------------------------------------------------------------------------------------


async def test_a_job_that_is_done_is_not_done_again(app: Goatherd, counter: Counter) -> None:
    async with at_work(app) as stage:
        sent = spy_on_messages(stage)
        run = await counter.task.start("once")
        assert await run.result(PATIENCE) == "once"
        await stage.saw("acked")
        await post_again(stage, list(sent))
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


# --- stopped -------------------------------------------------------------------------------------------------------


async def test_a_job_whose_log_was_closed_elsewhere_is_stopped_when_it_tells_something(app: Goatherd) -> None:
    stopped = asyncio.Event()

    @app.task
    async def stream(ctx: Context) -> None:
        try:
            while True:
                await ctx.token("x")
                await asyncio.sleep(0.001)
        except asyncio.CancelledError:
            stopped.set()
            raise

    async with at_work(app) as stage:
        run = await stream.start()
        async for event in run.events():
            if isinstance(event, Started):
                break
        ended = FailedInLog(attempt=0, at=1.0, reason="cancelled", error="JobCancelled", message="by somebody")
        await (await app.session().events()).append(run.id, Append(events=[ended]))
        async with asyncio.timeout(PATIENCE):
            await stopped.wait()
        await stage.saw("acked")
        assert await stage.letters() == []


async def test_a_job_that_is_cancelled_while_its_beginning_is_written_does_not_run(
    app: Goatherd, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_work(app) as stage:
        events = await app.session().events()
        append, cancelled = events.append, asyncio.Event()

        async def slowly(job_id: str, what: Append) -> object:
            outcome = await append(job_id, what)
            if what.run:
                # The store has the beginning, and the worker is told of the cancel before it hears of that.
                await append(job_id, Append(events=[FailedInLog(
                    attempt=0, at=1.0, reason="cancelled", error="JobCancelled", message="just now"
                )]))  # fmt: skip
                stage.worker._call_off(job_id)
                cancelled.set()
            return outcome

        monkeypatch.setattr(events, "append", slowly)
        run = await counter.task.start("never")
        await stage.saw("acked")
        assert cancelled.is_set()
        assert counter.runs == []
        with pytest.raises(JobCancelled):
            await run.result(PATIENCE)


async def test_a_job_that_came_twice_to_one_worker_can_be_cancelled_after_the_first_has_ended(app: Goatherd) -> None:
    turns: asyncio.Queue[asyncio.Event] = asyncio.Queue()
    stopped = asyncio.Event()

    @app.task
    async def wait() -> None:
        mine = asyncio.Event()
        turns.put_nowait(mine)
        try:
            await mine.wait()
        except asyncio.CancelledError:
            stopped.set()
            raise
        raise ValueError("the first fails")

    async with at_work(app) as stage:
        sent = spy_on_messages(stage)
        run = await wait.start()
        async with asyncio.timeout(PATIENCE):
            first = await turns.get()
            await post_again(stage, list(sent))
            await turns.get()
        # As if the broker had taken it back.
        stage.broker.is_lost = lambda _: True  # type: ignore[method-assign,assignment]  # for this moment
        first.set()
        await stage.saw("handed back")
        assert await run.status() == "running", "a lost attempt does not end the job"
        assert await run.cancel()
        async with asyncio.timeout(PATIENCE):
            await stopped.wait()
            with pytest.raises(JobCancelled):
                await run.result()


# --- how long it is known ------------------------------------------------------------------------------------------


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


# --- calls and strangers -------------------------------------------------------------------------------------------


async def test_a_call_of_a_task_that_is_always_tracked_is_written_to_its_end(app: Goatherd) -> None:
    @app.task(tracked=True)
    async def halve(number: int) -> float:
        return 100 / number

    async with at_work(app) as stage:
        assert await halve.options(id="c1").call(2) == 50
        assert kinds(await told(app.run("c1"))) == ["Started", "Done"]
        with pytest.raises(JobFailed, match="ZeroDivisionError"):
            await halve.options(id="c2").call(0)
        *_, last = await told(app.run("c2"))
        assert isinstance(last, Failed)
        assert (last.reason, last.error) == ("failed", "ZeroDivisionError")
        assert await stage.letters() == []


async def test_a_call_of_a_tracked_task_that_is_given_up_is_written_as_cancelled(app: Goatherd) -> None:
    begun = asyncio.Event()

    @app.task(tracked=True)
    async def think() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with at_work(app) as stage:
        calling = asyncio.create_task(think.options(id="c1").call())
        async with asyncio.timeout(PATIENCE):
            await begun.wait()
            calling.cancel()
            await stage.saw("acked")
            with pytest.raises(JobCancelled, match="caller gave up"):
                await app.run("c1").result()


async def test_what_a_stranger_sends_to_a_tracked_task_is_written_from_its_start(
    make_app: Callable[..., Goatherd],
) -> None:
    app = make_app(retry=Retry(1, base=0, jitter=0))

    @app.task(queue=app.queue("orders", format="plain"), tracked=True)
    async def order(item: str) -> str:
        if item == "bad":
            raise ValueError(item)
        return f"one {item}"

    async with at_work(app) as stage:
        await stage.publish("orders", b'{"item": "cake"}', id="m1")
        await stage.publish("orders", b'{"item": "bad"}', id="m2")
        await stage.publish("orders", b'{"item": 5}', id="m3")
        await stage.saw("acked")
        await stage.saw("buried", 2)
        [done] = [event for event in await told(app.run("m1")) if isinstance(event, Done)]
        assert done.result == "one cake"
        assert kinds(await told(app.run("m2"))) == ["Started", "Retrying", "Started", "Failed"]
        assert stage.following[0].headers[TRACKED] == "shop", "wherever it ends now, it is known to be watched"
        [invalid] = await told(app.run("m3"))
        assert isinstance(invalid, Failed)
        assert invalid.error == "InvalidArguments"


async def test_a_mark_of_another_app_is_none_of_ours(app: Goatherd, counter: Counter) -> None:
    async with at_work(app) as stage:
        sent = spy_on_messages(stage)
        await counter.task.options(id="theirs").send("x")
        await stage.saw("acked")
        foreign = msgspec.structs.replace(sent[0], id="m2", headers={TRACKED: "somebody else"})
        await stage.broker.publish([foreign])
        await stage.saw("acked", 2)
        assert await (await app.session().events()).state("m2") is None
        assert await (await app.session().events()).state("theirs") is None
