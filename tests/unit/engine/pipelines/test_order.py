"""Stories: steps are done in order, with the results of the steps before them, and a join is done once."""

from dataclasses import dataclass

import pytest

from goatherd import Context, Goatherd
from goatherd.sync import Context as BlockingContext
from goatherd.testing import testing


@dataclass
class Film:
    """What a run is given."""

    title: str
    minutes: int


async def test_results_of_the_steps_before_are_the_arguments_in_that_order(app: Goatherd) -> None:
    dub = app.pipeline("dub", takes=Film, gives=str)

    @dub.step(after=dub.input)
    async def sound(film: Film) -> str:
        return f"{film.title}.wav"

    @dub.step(after=(sound, dub.input))
    async def words(sound: str, film: Film) -> list[str]:
        return [sound, film.title]

    @dub.step(after=(dub.input, words, sound))
    async def film(film: Film, words: list[str], sound: str) -> str:
        return f"{film.minutes} {words} {sound}"

    async with testing(app) as t:
        run = await dub.start(Film("alien", 117))
        await t.drain()
        assert await run.result(timeout=10) == "117 ['alien.wav', 'alien'] alien.wav"


async def test_a_join_waits_for_all_and_is_done_once(app: Goatherd) -> None:
    seen: list[str] = []
    letters = app.pipeline("letters", takes=int, gives=str)

    @letters.step(after=letters.input)
    async def first(number: int) -> str:
        seen.append("first")
        return "a"

    @letters.step(after=first)
    async def left(first: str) -> str:
        seen.append("left")
        return f"{first}l"

    @letters.step(after=first)
    async def right(first: str) -> str:
        seen.append("right")
        return f"{first}r"

    @letters.step(after=(left, right))
    async def both(left: str, right: str) -> str:
        seen.append("both")
        return left + right

    async with testing(app) as t:
        runs = [await letters.start(number) for number in range(20)]
        await t.drain()
        assert [await run.result(timeout=10) for run in runs] == ["alar"] * 20
        assert sorted(seen) == sorted(["first", "left", "right", "both"] * 20)


async def test_steps_without_steps_before_them_start_side_by_side(app: Goatherd) -> None:
    pair = app.pipeline("pair", takes=int, gives=tuple[int, int])

    @pair.step(after=pair.input)
    async def one(number: int) -> int:
        return number + 1

    @pair.step(after=pair.input)
    async def two(number: int) -> int:
        return number + 2

    @pair.step(after=(one, two))
    async def both(one: int, two: int) -> tuple[int, int]:
        return one, two

    async with testing(app) as t:
        run = await pair.start(1)
        await t.drain()
        assert await run.result(timeout=10) == (2, 3)


async def test_plain_functions_have_threads_and_contexts_of_their_own(app: Goatherd) -> None:
    count = app.pipeline("count", takes=int, gives=str)

    @count.step(after=count.input)
    def up(ctx: BlockingContext, number: int) -> str:
        return f"{ctx.run_id} {number + 1}"

    async with testing(app) as t:
        run = await count.options(id="seven").start(7)
        await t.drain()
        assert await run.result(timeout=10) == "seven 8"


async def test_a_step_knows_its_run_its_job_and_its_attempt(app: Goatherd) -> None:
    seen: list[tuple[str, str, int, str]] = []
    count = app.pipeline("count", takes=list[int], gives=list[int])

    @count.map(over=count.input, queue="counting")
    async def up(ctx: Context, number: int) -> int:
        seen.append((ctx.run_id, ctx.job_id, ctx.attempt, ctx.queue))
        return number + 1

    async with testing(app) as t:
        run = await count.options(id="numbers").start([5, 6])
        await t.drain()
        assert await run.result(timeout=10) == [6, 7]
        assert sorted(seen) == [
            ("numbers", "numbers/up/0", 1, "counting"),
            ("numbers", "numbers/up/1", 1, "counting"),
        ]


@pytest.mark.parametrize("value", [None, "", "€", 0, [], {"a": [1.5]}, False])
async def test_results_come_back_as_they_were(app: Goatherd, value: object) -> None:
    echo = app.pipeline("echo", takes=object, gives=object)

    @echo.step(after=echo.input)
    async def once(value: object) -> object:
        return value

    @echo.step(after=once)
    async def twice(value: object) -> object:
        return value

    async with testing(app) as t:
        run = await echo.start(value)
        await t.drain()
        assert await run.result(timeout=10) == value
