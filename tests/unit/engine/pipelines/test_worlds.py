"""Stories: whatever goes wrong, and whatever people ask for meanwhile, every run comes to the same end."""

import asyncio

import pytest

from goatherd import Run
from goatherd.testing import testing
from tests.unit.engine.pipelines.worlds import World, expected

LONG = [pytest.mark.chaos, pytest.mark.timeout(900)]


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 200), marks=LONG)])
async def test_every_run_comes_to_the_same_end(seeds: range) -> None:
    for seed in seeds:
        world = World(seed)
        async with testing(world.app) as t:
            deaths = world.plan_faults(t)
            counts = [world.chance.randrange(25) for _ in range(world.chance.randrange(1, 4))]
            runs = [await world.pipeline.start(count) for count in counts]
            await t.drain(timeout=30)
            await t.advance(100)
            assert [await run.status() for run in runs] == ["done"] * len(runs), f"seed {seed}: {t.dead}"
            results = [await run.result(timeout=5) for run in runs]
            assert results == [expected(count) for count in counts], f"seed {seed}"
            # Only who dies with it, or comes late, makes a join once more, and nobody hears of that one.
            assert world.joined.total() <= len(runs) + deaths, f"seed {seed}"


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 200), marks=LONG)])
async def test_runs_may_be_cancelled_taken_up_and_resumed_at_any_moment(seeds: range) -> None:
    for seed in seeds:
        world = World(seed)
        async with testing(world.app) as t:
            world.plan_faults(t)
            counts = [world.chance.randrange(25) for _ in range(world.chance.randrange(1, 4))]
            runs = [await world.pipeline.start(count) for count in counts]
            async with asyncio.TaskGroup() as people:
                people.create_task(meddle(world, runs))
                for _ in range(3):
                    await t.drain(timeout=30)
            await t.drain(timeout=30)
            await t.advance(100)
            assert [await run.status() for run in runs] == ["done"] * len(runs), f"seed {seed}: {t.dead}"
            results = [await run.result(timeout=5) for run in runs]
            assert results == [expected(count) for count in counts], f"seed {seed}"


async def meddle(world: World, runs: list[Run[int]]) -> None:
    """Ask for this and that."""
    for _ in range(world.chance.randrange(1, 6)):
        # At any moment of the work.
        await asyncio.sleep(world.chance.random() * 0.06)
        run = world.chance.choice(runs)
        match world.chance.choice(["resume", "cancel", "retry"]):
            case "resume":
                await run.resume_from(world.chance.choice(world.steps))
            case "cancel":
                await run.cancel()
                await asyncio.sleep(world.chance.random() * 0.03)
        await world.app.session().runs.retry(run.id)
