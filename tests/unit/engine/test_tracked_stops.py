"""A tracked job that has ended elsewhere is stopped."""

import asyncio

import pytest

from goatherd import Context, Goatherd
from goatherd.errors import JobCancelled
from goatherd.events import Started
from goatherd.model.admission import Append
from goatherd.model.event import Failed as FailedInLog
from tests.unit.engine.counting import Counter, spy_on_messages
from tests.unit.engine.stage import PATIENCE, at_work


@pytest.fixture
def counter(app: Goatherd) -> Counter:
    return Counter(app)


# --- stopped ---------------------------------------------------------------------------------------------------------


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
            await stage.broker.publish(list(sent))
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


async def test_an_error_while_it_stops_makes_no_dead_letter_of_a_cancelled_job(app: Goatherd) -> None:
    begun = asyncio.Event()

    @app.task
    async def untidy() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise ValueError("cannot clear up")

    async with at_work(app) as stage:
        run = await untidy.start()
        async with asyncio.timeout(PATIENCE):
            await begun.wait()
        assert await run.cancel()
        await stage.saw("acked")
        assert await stage.letters() == []
        assert await run.status() == "cancelled"
