"""What an app wraps around its processes, its attempts and its dead letters."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from goatherd import Context, DeadLetter, Goatherd, Retry
from goatherd.model.dead_letter import LetterFilter
from tests.unit.engine.stage import HandClock, at_work, opened


async def test_hooks_wrap_every_attempt_the_first_one_outermost(app: Goatherd) -> None:
    story: list[str] = []

    @app.around
    async def outer(ctx: Context) -> AsyncIterator[None]:
        story.append(f"outer of {ctx.job_id}")
        yield
        story.append("outer ends")

    @app.around
    async def inner(ctx: Context) -> AsyncIterator[None]:
        story.append("inner")
        yield
        story.append("inner ends")

    @app.task
    async def greet() -> None:
        story.append("greet")

    async with at_work(app) as stage:
        job_id = await greet.send()
        await stage.saw("acked")
    assert story == [f"outer of {job_id}", "inner", "greet", "inner ends", "outer ends"]


async def test_a_hook_sees_the_error_of_the_task(app: Goatherd) -> None:
    seen: list[str] = []

    @app.around
    async def witness(ctx: Context) -> AsyncIterator[None]:
        try:
            yield
        except KeyError as error:
            seen.append(str(error))
            raise

    @app.task
    async def broken() -> None:
        raise KeyError("x")

    async with at_work(app) as stage:
        await broken.send()
        assert (await stage.letter()).error_type == "KeyError"
    assert seen == ["'x'"]


@pytest.mark.parametrize("plain", [False, True])
async def test_a_hook_that_fails_fails_the_attempt_and_the_code_is_not_run(app: Goatherd, plain: bool) -> None:
    ran: list[int] = []

    @app.around
    async def locked(ctx: Context) -> AsyncIterator[None]:
        raise PermissionError("locked")
        yield

    if plain:

        @app.task(name="work")
        def in_thread() -> None:
            ran.append(1)
    else:

        @app.task(name="work")
        async def on_loop() -> None:
            ran.append(1)

    async with at_work(app) as stage:
        await app.tasks["work"].send()
        letter = await stage.letter()
    assert (letter.error_type, letter.message, ran) == ("PermissionError", "locked", [])


async def test_an_error_after_the_code_fails_the_attempt_too(app: Goatherd) -> None:
    @app.around
    async def strict(ctx: Context) -> AsyncIterator[None]:
        yield
        raise AssertionError("left something open")

    @app.task
    async def work() -> None: ...

    async with at_work(app) as stage:
        await work.send()
        assert (await stage.letter()).message == "left something open"


async def test_a_hook_is_cut_off_with_its_attempt(app: Goatherd) -> None:
    @app.around
    async def stuck(ctx: Context) -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield

    @app.task(timeout=0.05)
    async def work() -> None: ...

    async with at_work(app) as stage:
        await work.send()
        assert (await stage.letter()).error_type == "TimeoutError"


async def test_a_process_is_prepared_before_its_first_job_and_cleared_after_its_last(app: Goatherd) -> None:
    story: list[str] = []

    @app.lifespan
    async def models() -> AsyncIterator[None]:
        story.append("load")
        yield
        story.append("unload")

    @app.lifespan
    async def pool() -> AsyncIterator[None]:
        story.append("open")
        await greet.send("pool")
        yield
        story.append("close")

    @app.task
    async def greet(name: str) -> None:
        story.append(name)

    async with at_work(app) as stage:
        await stage.saw("acked")
    assert story == ["load", "open", "pool", "close", "unload"]


async def test_a_lifespan_that_fails_keeps_the_worker_from_starting(app: Goatherd) -> None:
    story: list[str] = []

    @app.lifespan
    async def first() -> AsyncIterator[None]:
        yield
        story.append("first ends")

    @app.lifespan
    async def second() -> AsyncIterator[None]:
        raise FileNotFoundError("no model")
        yield

    @app.task
    async def greet() -> None:
        story.append("greet")

    async with opened(app) as stage:
        await greet.send()
        with pytest.raises(FileNotFoundError, match="no model"):
            await at_work(app).__aenter__()
        assert stage.notes.counted["delivered"] == 0


async def test_the_app_is_told_of_each_dead_letter(app: Goatherd) -> None:
    told: list[DeadLetter] = []

    @app.on_dead_letter
    async def review(letter: DeadLetter) -> None:
        told.append(letter)

    @app.task
    async def broken(number: int) -> None:
        raise ValueError("no")

    async with at_work(app) as stage:
        await broken.send(7)
        await stage.publish("shop", b"garbage")
        await stage.saw("acked", 2)
        assert {letter.id for letter in told} == {letter.id for letter in await stage.letters()}
    by_reason = {letter.reason: letter for letter in told}
    assert set(by_reason) == {"failed", "unparsable"}
    assert by_reason["failed"].arguments == {"number": 7}


async def test_a_hook_that_fails_is_told_again(app: Goatherd, clock: HandClock) -> None:
    told: list[str] = []

    @app.on_dead_letter
    async def review(letter: DeadLetter) -> None:
        told.append(letter.message)
        if len(told) < 3:
            raise ConnectionError("the pager is away")

    @app.task
    async def broken() -> None:
        raise ValueError("no")

    async with at_work(app) as stage:
        await broken.send()
        for turn in (1, 2):
            await stage.saw("replaced", turn)
            clock.advance(100)
        await stage.saw("acked")
    assert told == ["no"] * 3


async def test_the_news_waits_for_a_worker_that_wants_it(make_app: Any) -> None:
    told: list[str] = []
    deaf, listening = make_app(), make_app()

    @listening.on_dead_letter
    async def review(letter: DeadLetter) -> None:
        told.append(letter.message)

    for each in (deaf, listening):

        @each.task(name="broken")
        async def broken() -> None:
            raise ValueError("no")

    async with opened(listening):
        pass
    async with at_work(deaf) as stage:
        await deaf.tasks["broken"].send()
        await stage.saw("buried")
    async with at_work(listening) as stage:
        await stage.saw("acked")
    assert told == ["no"]


async def test_a_letter_that_was_put_back_before_it_was_told_is_passed_over(app: Goatherd, clock: HandClock) -> None:
    told: list[str] = []

    @app.on_dead_letter
    async def review(letter: DeadLetter) -> None:
        told.append(letter.id)
        raise ConnectionError("the pager is away")

    @app.task(retry=Retry(0))
    async def broken() -> None:
        raise ValueError("no")

    async with at_work(app) as stage:
        await broken.send()
        await stage.saw("replaced")
        [letter] = await stage.letters()
        [_] = [done async for done in stage.office.discard(LetterFilter())]
        clock.advance(100)
        await stage.saw("acked")
    assert told == [letter.id]
