"""A pipeline in which anything may go wrong, for the stories in this folder."""

import asyncio
import random
from collections import Counter

from goatherd import Context, Failure, GiveUp, Goatherd, Retry, Step
from goatherd.testing import Herd

#: More than these are deaths of one unit, which is given up then.
MOST_DEATHS = 2


class World:
    """A pipeline, and what goes wrong with it; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.app = Goatherd("world", retry=Retry(2, base=5, jitter=0), concurrency=self.chance.choice([1, 2, 8]))
        self.pipeline = self.app.pipeline("sums", takes=int, gives=int)
        self.joined: Counter[str] = Counter()
        self.failed: Counter[tuple[str, object]] = Counter()
        self.is_flaky = self.chance.random() < 0.5
        self.steps = self.declare()

    async def risk(self, run: str, what: object) -> None:
        """Fail now and then, but not as often as it would be given up."""
        await asyncio.sleep(self.chance.choice([0, 0, 0.001]))
        if self.is_flaky and self.failed[run, what] < 2 and self.chance.random() < 0.15:
            self.failed[run, what] += 1
            raise ConnectionError("no route")

    def declare(self) -> list[Step[object]]:  # noqa: C901 - five steps, each of them simple
        sums, at_once = self.pipeline, self.chance.choice([1, 2, 100])

        @sums.step(after=sums.input)
        async def numbers(ctx: Context, count: int) -> list[int]:
            await self.risk(ctx.run_id, "numbers")
            return list(range(count))

        @sums.map(over=numbers, batch=self.chance.choice([1, 3, 7]), concurrency=at_once)
        async def up(ctx: Context, items: list[int]) -> list[int]:
            await self.risk(ctx.run_id, tuple(items))
            if 5 in items:
                raise GiveUp("five")
            return [item + 1 for item in items]

        @up.compensate
        async def as_it_was(failure: Failure, item: int) -> int:
            return item

        @sums.map(over=up, after=sums.input, on_failure="skip", concurrency=at_once)
        async def double(ctx: Context, item: int, count: int) -> int:
            await self.risk(ctx.run_id, item)
            if item % 4 == 0:
                raise GiveUp("a multiple of four")
            return 2 * item

        @sums.step(after=(numbers, sums.input)).when(lambda numbers, count: count % 2 == 0)
        async def bonus(numbers: list[int], count: int) -> int:
            return 1000

        @sums.step(after=(double, bonus, numbers))
        async def total(ctx: Context, doubled: list[int], bonus: int | None, numbers: list[int]) -> int:
            self.joined[ctx.run_id] += 1
            return sum(doubled) + (bonus or 0) + len(numbers)

        return [numbers, up, double, bonus, total]

    def plan_faults(self, t: Herd) -> int:
        """Let some things go wrong; returns how many deaths there are."""
        deaths = 0
        for step in self.chance.sample(self.steps, len(self.steps)):
            if self.chance.random() < 0.3:
                t.duplicate(step, times=3)
            if deaths < MOST_DEATHS and self.chance.random() < 0.4:
                deaths += 1
                self.plan_death(t, step)
        return deaths

    def plan_death(self, t: Herd, step: Step[object]) -> None:
        match self.chance.choice(["before", "after", "late"]):
            case "before":
                t.crash(step, at="start")
            case "after":
                t.crash(step, at="end")
            case _:
                t.lose_lease(step)


def expected(count: int) -> int:
    """What a run gives, whatever goes wrong."""
    up = [item if item == 5 else item + 1 for item in range(count)]
    return sum(2 * item for item in up if item % 4) + (0 if count % 2 else 1000) + count
