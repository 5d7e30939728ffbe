"""A call that this worker cannot do, or not to its end, is for others while time remains."""

import asyncio
from collections.abc import Callable

import pytest

from goatherd import Goatherd
from goatherd.errors import CallTimeout, JobFailed
from tests.unit.engine.asker import answered
from tests.unit.engine.stage import HandClock, Notes, at_work


async def test_a_request_of_an_unknown_task_is_offered_to_others_while_time_remains(
    make_app: Callable[..., Goatherd], clock: HandClock
) -> None:
    caller, old, new = make_app(), make_app(), make_app()
    for each in (caller, old, new):
        each.clock = clock

    @caller.task(remote=True)
    async def greet(name: str) -> str: ...

    @old.task(name="another")
    async def another() -> None: ...

    @new.task(name="greet")
    async def greets(name: str) -> str:
        return f"hello {name}"

    async with caller:
        async with at_work(old) as stage:
            call = asyncio.create_task(greet.options(deadline=10).call("Ada"))
            await stage.saw("replaced")
            [offered] = stage.following
            assert offered.due == clock.now() + 1
            assert offered.reply_to == caller.session().calls.reply_queue
        async with at_work(new):
            clock.advance(1)
            assert await asyncio.wait_for(call, 20) == "hello Ada"


async def test_a_request_of_an_unknown_task_is_dropped_when_time_is_over(
    make_app: Callable[..., Goatherd], clock: HandClock
) -> None:
    caller, old = make_app(), make_app()
    caller.clock = old.clock = clock

    @caller.task(remote=True)
    async def greet() -> str: ...

    @old.task
    async def another() -> None: ...

    async with caller, at_work(old) as stage:
        call = asyncio.create_task(greet.options(deadline=4).call())
        await stage.saw("replaced", 1)
        clock.advance(1)
        await stage.saw("replaced", 2)
        clock.advance(3)
        with pytest.raises(CallTimeout):
            await call
        await stage.saw("acked")
        assert await stage.letters() == []
    assert answered(old) == {"expired": 1}


async def test_arguments_that_do_not_fit_are_told_to_the_caller(make_app: Callable[..., Goatherd]) -> None:
    caller, worker = make_app(), make_app()

    @caller.task(remote=True, name="greet")
    async def greet(name: int) -> str: ...

    @worker.task(name="greet")
    async def greets(name: str) -> str:
        return name

    async with caller, at_work(worker) as stage:
        with pytest.raises(JobFailed, match="InvalidArguments: name: Expected `str`, got `int`"):
            await greet.call(7)
        assert await stage.letters() == []


async def test_a_worker_that_stops_hands_a_running_call_to_others(make_app: Callable[..., Goatherd]) -> None:
    caller, first, second = make_app(), make_app(grace_period=0), make_app()
    notes = Notes()

    @caller.task(remote=True)
    async def ask() -> str: ...

    @first.task(name="ask")
    async def asks() -> str:
        notes("started")
        await asyncio.Event().wait()
        return "never"

    @second.task(name="ask")
    async def asks_too() -> str:
        return "the other one"

    async with caller:
        async with at_work(first):
            call = asyncio.create_task(ask.call())
            await notes.saw("started")
        async with at_work(second):
            assert await asyncio.wait_for(call, 20) == "the other one"


async def test_an_answer_that_nobody_can_get_is_counted_and_the_request_is_over(app: Goatherd) -> None:
    ran: list[int] = []

    @app.task
    async def work() -> None:
        ran.append(1)

    async with at_work(app) as stage:
        body = b'{"v":1,"task_id":"j","step":"work","payload":{}}'
        await stage.publish("shop", body, id="j", reply_to="reply.of-a-dead-process")
        await stage.saw("acked")
        assert await stage.letters() == []
    assert (ran, answered(app)) == ([1], {"undeliverable": 1})
