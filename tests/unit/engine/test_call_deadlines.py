"""A deadline travels with a call: nothing is begun, gone on with, or asked for after it."""

import asyncio
from typing import Any

import pytest

from goatherd import Context, Goatherd
from goatherd.errors import CallTimeout
from goatherd.model.message import Message
from tests.unit.engine.asker import answered, ended
from tests.unit.engine.stage import HandClock, Notes, at_work, opened


async def test_a_request_whose_caller_has_given_up_is_never_started(app: Goatherd, clock: HandClock) -> None:
    ran: list[int] = []

    @app.task
    async def work(number: int) -> None:
        ran.append(number)

    async with opened(app):
        calls = [asyncio.create_task(work.options(deadline=5).call(number)) for number in range(20)]
        while app.session().calls.in_flight < 20:
            await asyncio.sleep(0.001)
        await _all_written(app, 20)
        clock.advance(5)
        ends = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(end) for end in ends} == {CallTimeout}
        async with at_work(app) as stage:
            await stage.saw("acked", 20)
            assert await stage.letters() == []
    assert ran == []
    assert (answered(app), ended(app)) == ({"expired": 20}, {})


async def _all_written(app: Goatherd, count: int) -> None:
    async with asyncio.timeout(20):
        while True:
            states = {state.name: state for state in await app.session().ports.operations.queues()}
            if states["shop"].ready >= count:
                return
            await asyncio.sleep(0.002)


async def test_work_is_cut_off_when_its_caller_has_given_up(app: Goatherd) -> None:
    notes = Notes()

    @app.task
    async def slow() -> None:
        notes("started")
        try:
            await asyncio.Event().wait()
        finally:
            notes("ended")

    async with at_work(app) as stage:
        with pytest.raises(CallTimeout):
            await slow.options(deadline=0.3).call()
        await notes.saw("ended")
        await stage.saw("acked")
        assert await stage.letters() == []
    assert (notes.counted["started"], answered(app).get("given")) == (1, None)


async def test_a_nested_call_inherits_what_remains(app: Goatherd, clock: HandClock) -> None:
    seen: list[float | None] = []

    @app.task
    async def inner(ctx: Context) -> None:
        seen.append(ctx.remaining)

    @app.task
    async def outer(ctx: Context) -> None:
        seen.append(ctx.remaining)
        clock.advance(2)
        await inner.call()
        await inner.options(deadline=1).call()
        await inner.options(deadline=1000).call()

    async with at_work(app):
        await outer.options(deadline=7).call()
    assert seen == [7.0, 5.0, 1.0, 5.0]


async def test_a_nested_call_belongs_to_the_same_story(app: Goatherd) -> None:
    @app.task
    async def inner() -> None: ...

    @app.task
    async def outer() -> None:
        await inner.call()

    traces: list[str] = []
    async with at_work(app):
        courier: Any = app.session().ports.courier
        post = courier.post

        def watching(message: Message, receipt: Any) -> None:
            if message.reply_to:
                traces.append(message.body.decode().partition('"trace_id":"')[2].partition('"')[0])
            post(message, receipt)

        courier.post = watching
        await outer.options(id="the first").call()
    assert traces == ["the first", "the first"]


async def test_there_may_be_no_time_left_for_a_nested_call(app: Goatherd, clock: HandClock) -> None:
    notes = Notes()
    raised: list[BaseException] = []

    @app.task
    async def inner() -> None:
        notes("inner")

    @app.task
    async def outer() -> None:
        clock.advance(10)
        try:
            await inner.call()
        except CallTimeout as error:
            raised.append(error)
        notes("outer")

    async with at_work(app):
        await outer.options(deadline=5).send()
        await notes.saw("outer")
    assert "No time is left to call 'inner'" in str(raised[0])
    assert notes.counted["inner"] == 0
