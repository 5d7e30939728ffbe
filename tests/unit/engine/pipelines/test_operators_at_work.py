"""Runs that are taken up again, resumed and cancelled while workers are at work: nothing old is in their results."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack

import pytest

from goatherd import Goatherd, Run
from goatherd.engine import conductor
from goatherd.roles import working

STEPS = ("cut", "hear", "see", "join")
PATIENCE = 60.0


def declare(app: Goatherd, cuts: Counter[int]) -> Callable[[str], Run[list[int]]]:
    """A pipeline whose results tell which cut they are of."""
    films = app.pipeline("films", takes=int, gives=list[int])

    @films.step(after=films.input)
    async def cut(film: int) -> list[int]:
        cuts[film] += 1
        await asyncio.sleep(0)
        return [cuts[film]] * 4

    @films.map(over=cut, concurrency=2)
    async def hear(scene: int) -> int:
        await asyncio.sleep(0)
        return scene

    @films.map(over=cut, batch=3)
    async def see(scenes: list[int]) -> list[int]:
        return scenes

    @films.step(after=(hear, see))
    async def join(heard: list[int], seen: list[int]) -> list[int]:
        return heard + seen

    return lambda id: app.run(id, of=films)


async def interfere(run: Run[list[int]], chance: random.Random) -> None:
    """Somebody who cannot leave it alone, and lets it go on in the end."""
    for _ in range(6):
        await asyncio.sleep(chance.random() * 0.05)
        match chance.randrange(4):
            case 0:
                await run.cancel()
            case 1:
                await run.retry_step(chance.choice(STEPS))
            case _:
                await run.resume_from(chance.choice(STEPS))
    await run.app.session().runs.retry(run.id)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.chaos) for seed in range(1, 9))])
async def test_each_result_is_of_one_cut_alone(
    make_app: Callable[..., Goatherd], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conductor, "AGAIN_AFTER", 0.1)
    monkeypatch.setattr(conductor, "LOOK_EVERY", 0.01)
    chance, cuts = random.Random(seed), Counter[int]()
    async with AsyncExitStack() as life:
        apps = [make_app() for _ in range(2)]
        known = [declare(app, cuts) for app in apps]
        for app in apps:
            await life.enter_async_context(app)
            await life.enter_async_context(working(app, concurrency=4))
        await life.enter_async_context(asyncio.timeout(PATIENCE))
        for film in range(8):
            await apps[0].pipelines["films"].options(id=f"{film}").start(film)
        runs = [chance.choice(known)(f"{film}") for film in range(8)]
        await asyncio.gather(*(interfere(run, random.Random(f"{seed} {run.id}")) for run in runs))
        for run in runs:
            told = await run.result()
            assert len(told) == 8
            assert set(told) == {cuts[int(run.id)]}
            look = await (await apps[0].session().records()).operations.look(run.id)
            assert look is not None
            assert look.summary.state == "done"
