"""Stories: a step is done for each item of a list, so many at once, and the next one gets one list, in item order."""

import asyncio

import pytest

from goatherd import Goatherd
from goatherd.testing import testing


async def test_items_are_done_one_by_one_and_joined_in_their_order(app: Goatherd) -> None:
    words = app.pipeline("words", takes=str, gives=str)

    @words.step(after=words.input)
    async def split(text: str) -> list[str]:
        return text.split()

    @words.map(over=split, after=words.input)
    async def longer(word: str, text: str) -> str:
        # The first one is done last.
        await asyncio.sleep(0.02 if text.startswith(word) else 0)
        return f"{word}/{len(text)}"

    @words.map(over=longer)
    async def louder(word: str) -> str:
        return word.upper()

    @words.step(after=(split, louder))
    async def joined(split: list[str], louder: list[str]) -> str:
        return f"{len(split)}: {' '.join(louder)}"

    async with testing(app) as t:
        run = await words.start("to be or not")
        await t.drain()
        assert await run.result(timeout=10) == "4: TO/12 BE/12 OR/12 NOT/12"


@pytest.mark.parametrize("batch", [None, 20])
async def test_no_items_are_joined_at_once(app: Goatherd, batch: int | None) -> None:
    calls: list[object] = []
    empty = app.pipeline("empty", takes=list[int], gives=int)
    if batch is None:

        @empty.map(over=empty.input)
        async def one(item: int) -> int:
            calls.append(item)
            return item

        doubled = one
    else:

        @empty.map(over=empty.input, batch=batch)
        async def many(items: list[int]) -> list[int]:
            calls.append(items)
            return items

        doubled = many  # type: ignore[assignment]  # of either kind

    @empty.step(after=doubled)
    async def length(items: list[int]) -> int:
        return len(items)

    async with testing(app) as t:
        run = await empty.start([])
        await t.drain()
        assert await run.result(timeout=10) == 0
        assert not calls


@pytest.mark.parametrize("batch", [None, 2])
async def test_no_more_items_of_a_run_are_worked_on_at_once_than_may_be(app: Goatherd, batch: int | None) -> None:
    at_work: dict[int, int] = {}
    most = 0
    bounded = app.pipeline("bounded", takes=list[int], gives=list[int])

    async def work(run: int) -> None:
        nonlocal most
        at_work[run] = at_work.get(run, 0) + 1
        most = max(most, at_work[run])
        await asyncio.sleep(0.005)
        at_work[run] -= 1

    if batch is None:

        @bounded.map(over=bounded.input, concurrency=3)
        async def one(item: int) -> int:
            await work(item // 100)
            return item
    else:

        @bounded.map(over=bounded.input, concurrency=3, batch=batch)
        async def many(items: list[int]) -> list[int]:
            await work(items[0] // 100)
            return items

    async with testing(app) as t:
        runs = [await bounded.start([100 * number + item for item in range(12)]) for number in range(2)]
        await t.drain()
        assert [len(await run.result(timeout=10)) for run in runs] == [12, 12]
        assert most == 3


async def test_a_map_over_what_was_passed_over_has_no_items(app: Goatherd) -> None:
    maybe = app.pipeline("maybe", takes=list[int], gives=int)

    @maybe.step(after=maybe.input)
    async def given(items: list[int]) -> list[int]:
        return items

    @maybe.map(over=given)
    async def up(item: int) -> int:
        return item + 1

    @maybe.step(after=up)
    async def total(items: list[int]) -> int:
        return sum(items)

    async with testing(app) as t:
        run = await maybe.start([1, 2])
        await t.drain()
        assert await run.result(timeout=10) == 5


async def test_the_last_step_may_be_a_map(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=list[int], gives=list[int])

    @ups.map(over=ups.input)
    async def up(item: int) -> int:
        return item + 1

    async with testing(app) as t:
        runs = [await ups.start(items) for items in ([], [1], list(range(300)))]
        await t.drain()
        assert [await run.result(timeout=10) for run in runs] == [[], [2], list(range(1, 301))]
