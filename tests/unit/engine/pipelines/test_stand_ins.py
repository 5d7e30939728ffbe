"""Stories: what failed for good is stood in for, by a function that is told why."""

import pytest

from goatherd import Failure, GiveUp, Goatherd, Retry, RetryLater
from goatherd.errors import JobFailed
from goatherd.testing import testing

SLOWLY = Retry(1, base=10, jitter=0)


async def test_a_step_is_stood_in_for_with_its_own_arguments(app: Goatherd) -> None:
    told: list[tuple[Failure, str, int]] = []
    films = app.pipeline("films", takes=int, gives=str)

    @films.step(after=films.input)
    async def title(number: int) -> str:
        return f"film {number}"

    @films.step(after=(title, films.input), retry=SLOWLY)
    async def poster(title: str, number: int) -> str:
        raise ConnectionError("no route")

    @poster.compensate(queue="posters")
    async def drawing(failure: Failure, title: str, number: int) -> str:
        told.append((failure, title, number))
        return f"drawing of {title}"

    async with testing(app) as t:
        run = await films.start(7)
        await t.drain()
        assert not told
        await t.advance(10)
        assert await run.result(timeout=10) == "drawing of film 7"
        failure = Failure(step="poster", item=None, error_type="ConnectionError", message="no route", attempts=2)
        assert told == [(failure, "film 7", 7)]
        assert not t.dead


async def test_an_item_is_stood_in_for_in_its_place(app: Goatherd) -> None:
    films = app.pipeline("films", takes=list[int], gives=list[str])

    @films.map(over=films.input, after=films.input)
    async def speak(item: int, all: list[int]) -> str:
        if item == 2:
            raise ValueError(f"one of {len(all)}")
        return f"speech {item}"

    @speak.compensate
    async def silence(failure: Failure, item: int) -> str:
        return f"silence {item} ({failure.item}: {failure.message})"

    async with testing(app) as t:
        run = await films.start([1, 2, 3])
        await t.drain()
        assert await run.result(timeout=10) == ["speech 1", "silence 2 (1: one of 3)", "speech 3"]


async def test_giving_up_in_a_stand_in_fails_the_run(app: Goatherd) -> None:
    calls: list[str] = []
    films = app.pipeline("films", takes=list[int], gives=int)

    @films.map(over=films.input)
    async def speak(item: int) -> int:
        calls.append("speak")
        raise ValueError("no voice")

    @speak.compensate
    async def silence(failure: Failure, item: int) -> int:
        calls.append("silence")
        raise GiveUp("no silence either")

    @films.step(after=speak)
    async def total(items: list[int]) -> int:
        calls.append("total")
        return sum(items)

    async with testing(app) as t:
        run = await films.start([1])
        await t.advance(60)
        with pytest.raises(JobFailed, match="step speak: no silence either"):
            await run.result(timeout=10)
        assert calls == ["speak", "silence"]
        [letter] = t.dead
        assert (letter.task, letter.reason) == ("films.speak.compensate", "gave_up")


async def test_a_stand_in_that_fails_is_tried_again_by_the_steps_rule(app: Goatherd) -> None:
    told: list[Failure] = []
    films = app.pipeline("films", takes=int, gives=int)

    @films.step(after=films.input, retry=SLOWLY)
    async def speak(number: int) -> int:
        raise ValueError("no voice")

    @speak.compensate
    async def silence(failure: Failure, number: int) -> int:
        told.append(failure)
        if len(told) == 1:
            raise ConnectionError("no route")
        return -number

    async with testing(app) as t:
        run = await films.start(1)
        await t.advance(600)
        assert await run.result(timeout=10) == -1
        failure = Failure(step="speak", item=None, error_type="ValueError", message="no voice", attempts=2)
        assert told == [failure, failure]


async def test_those_that_wait_for_a_stand_in_leave_room_for_others(app: Goatherd) -> None:
    done: list[int] = []
    films = app.pipeline("films", takes=list[int], gives=list[int])

    @films.map(over=films.input, concurrency=1)
    async def speak(item: int) -> int:
        if item == 1:
            raise ValueError("no voice")
        done.append(item)
        return item

    @speak.compensate
    async def silence(failure: Failure, item: int) -> int:
        if not done:
            # Somebody who is asked may take a day.
            raise RetryLater(86_000, count=False)
        return -item

    async with testing(app) as t:
        run = await films.start([1, 2, 3])
        await t.drain()
        assert (done, await run.status()) == ([2, 3], "running")
        await t.advance(86_000)
        assert await run.result(timeout=10) == [-1, 2, 3]
