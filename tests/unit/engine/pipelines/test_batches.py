"""Stories: items in batches; one that fails is found alone, and those that are done are never sent again."""

from collections import Counter

from goatherd import Failure, Goatherd, Retry
from goatherd.testing import testing


async def test_a_poisonous_item_is_tried_alone_and_then_stood_in_for(app: Goatherd) -> None:
    calls: list[list[int]] = []
    told: list[tuple[Failure, int]] = []
    dub = app.pipeline("dub", takes=list[int], gives=list[str])

    @dub.map(over=dub.input, batch=20, retry=Retry(2, base=10, jitter=0))
    async def translate(items: list[int]) -> list[str]:
        calls.append(items)
        if 13 in items:
            raise ValueError("untranslatable")
        return [f"t{item}" for item in items]

    @translate.compensate
    async def keep(failure: Failure, item: int) -> str:
        told.append((failure, item))
        return f"kept {item}"

    async with testing(app) as t:
        run = await dub.start(list(range(45)))
        await t.drain()
        assert await run.status() == "running"
        await t.advance(3600)
        result = await run.result(timeout=10)
    assert result == [f"kept {item}" if item == 13 else f"t{item}" for item in range(45)]
    # Three batches; the one that failed once more as single items; and the poisonous one twice again.
    assert Counter(map(len, calls)) == {20: 2, 5: 1, 1: 20 + 2}
    assert calls.count([13]) == 3
    done = Counter(item for items in calls if 13 not in items for item in items)
    assert done == Counter(set(range(45)) - {13}), "each item that is done was sent once"
    [(failure, item)] = told
    assert item == 13
    assert (failure.step, failure.item, failure.error_type, failure.attempts) == ("translate", 13, "ValueError", 3)
    assert failure.message == "untranslatable"


async def test_an_item_that_fails_in_passing_is_done_alone(app: Goatherd) -> None:
    calls: list[list[int]] = []
    ups = app.pipeline("ups", takes=list[int], gives=list[int])

    @ups.map(over=ups.input, batch=4, retry=Retry(1, base=10, jitter=0))
    async def up(items: list[int]) -> list[int]:
        calls.append(items)
        if 2 in items and calls.count(items) == 1:
            raise ConnectionError("no route")
        return [item + 1 for item in items]

    async with testing(app) as t:
        run = await ups.start([1, 2, 3, 4, 5])
        await t.advance(60)
        assert await run.result(timeout=10) == [2, 3, 4, 5, 6]
    assert sorted(calls) == [[1], [1, 2, 3, 4], [2], [2], [3], [4], [5]]


async def test_items_that_were_separated_are_bounded_too(app: Goatherd) -> None:
    at_work = most = 0
    ups = app.pipeline("ups", takes=list[int], gives=int)

    @ups.map(over=ups.input, batch=10, concurrency=2)
    async def up(items: list[int]) -> list[int]:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        try:
            if len(items) > 1:
                raise ValueError("only one by one")
            return items
        finally:
            at_work -= 1

    @ups.step(after=up)
    async def count(items: list[int]) -> int:
        return len(items)

    async with testing(app) as t:
        run = await ups.start(list(range(40)))
        await t.drain()
        assert await run.result(timeout=10) == 40
    assert most <= 2
