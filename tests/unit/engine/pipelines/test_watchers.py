"""Those who watch a run are told how it ended last, whoever asked for what in between."""

import asyncio
from typing import Any

import pytest

from goatherd import Goatherd, JobFailed, Pipeline
from goatherd.engine.run_story import RunStory
from goatherd.errors import JobCancelled, Unavailable
from goatherd.model.admission import Append
from goatherd.model.event import Failed
from goatherd.model.run_record import EndedRun
from goatherd.testing import testing


@pytest.fixture
def doubling(app: Goatherd) -> Pipeline[int, int]:
    pipeline = app.pipeline("doubling", takes=int, gives=int)

    @pipeline.step(after=pipeline.input)
    async def double(number: int) -> int:
        if number < 0:
            raise ValueError("too small")
        return 2 * number

    return pipeline


async def test_a_done_run_of_which_nothing_can_be_tried_again_stays_done(
    app: Goatherd, doubling: Pipeline[int, int]
) -> None:
    async with testing(app) as t:
        run = await doubling.start(21)
        await t.drain()
        await run.retry_step("double")
        await t.drain()
        assert await run.status() == "done"
        assert await run.result(timeout=5) == 42


async def test_a_cancelled_run_of_which_one_step_is_tried_again_stays_cancelled(
    app: Goatherd, doubling: Pipeline[int, int]
) -> None:
    async with testing(app) as t:
        run = await doubling.options(delay=60).start(21)
        assert await run.cancel()
        await t.drain()
        await run.retry_step("double")
        with pytest.raises(JobCancelled):
            await run.result(timeout=5)


async def test_a_run_that_could_not_be_begun_at_first_is_seen_to_its_end(
    app: Goatherd, doubling: Pipeline[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with testing(app) as t:
        steps = (await app.session().records()).steps

        async def away(_runs: Any) -> Any:
            raise Unavailable("The records are away.")

        with monkeypatch.context() as patch:
            patch.setattr(steps, "begin", away)
            with pytest.raises(Unavailable):
                await doubling.options(id="one").start(21)
        run = await doubling.options(id="one").start(21)
        await t.drain()
        assert await run.result(timeout=5) == 42


async def test_a_run_is_begun_though_its_events_cannot_be_kept_for_longer(
    app: Goatherd, doubling: Pipeline[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with testing(app) as t:
        events = await app.session().events()

        async def away(_job: str, _seconds: float) -> None:
            raise Unavailable("The events are away.")

        with monkeypatch.context() as patch:
            patch.setattr(events, "keep", away)
            run = await doubling.start(21)
        await t.drain()
        assert await run.result(timeout=5) == 42


async def test_the_word_of_an_earlier_end_that_comes_late_is_not_the_last(
    app: Goatherd, doubling: Pipeline[int, int]
) -> None:
    async with testing(app) as t:
        run = await doubling.start(21)
        # As from somebody who read of an end before the run was taken up again, and tells of it afterwards.
        late = Failed(attempt=0, at=1.0, reason="failed", error="ValueError", message="old")
        await (await app.session().events()).append(run.id, Append(events=[late]))
        await t.drain()
        assert await run.result(timeout=5) == 42


async def test_a_run_that_ends_while_it_is_being_taken_up_again(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = True
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input)
    async def pay(number: int) -> int:
        if broken:
            raise ValueError("no money")
        return number

    async with testing(app) as t:
        run = await shop.start(1)
        await t.drain()
        with pytest.raises(JobFailed):
            await run.result(timeout=5)
        broken = False
        events = await app.session().events()
        forget = events.forget

        async def late(job: str) -> None:
            await t.drain()
            monkeypatch.setattr(events, "forget", forget)
            await forget(job)

        monkeypatch.setattr(events, "forget", late)
        await run.retry_step(pay)
        await t.drain()
        async with asyncio.timeout(20):
            assert await run.result() == 1


async def test_whoever_tells_of_an_end_learns_of_our_own_faults_too(
    app: Goatherd, doubling: Pipeline[int, int]
) -> None:
    class Broken:
        async def append(self, _job: str, _what: Append) -> Any:
            raise RuntimeError("a fault")

    async def opened() -> Any:
        return Broken()

    async with app:
        story = RunStory(opened, app.clock, app.session().telemetry)
        with pytest.raises(Unavailable, match="a fault"):
            async with asyncio.timeout(20):
                await story.ended(EndedRun(id="one", pipeline="doubling", state="done", ended_at=1.0), b"2")
        await story.close(1)
