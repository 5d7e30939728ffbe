"""Records and broker that are away at any moment, before or after they have done what they were asked for."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from goatherd import Goatherd, JobFailed, Run
from goatherd.engine import conductor, insistence
from goatherd.errors import Unavailable
from goatherd.model.message import Message
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.roles import working
from goatherd.testing.passage import Passage
from goatherd.testing.step_passage import StepPassage
from goatherd.wiring import OpenSteps, Ports, open_ports

T = TypeVar("T")


class Weather:
    """Says when something is away."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.calm = True

    async def through(self, ask: Callable[[], Awaitable[T]]) -> T:
        fate = 1.0 if self.calm else self._random.random()
        if fate < 0.15:
            raise Unavailable("It is away.")
        answer = await ask()
        if fate < 0.3:
            raise Unavailable("Its answer was lost.")
        return answer


class FlakySteps(StepPassage):
    """Records whose answers, or whose ears, are lost now and then."""

    def __init__(self, steps: Any, weather: Weather) -> None:
        super().__init__(steps)
        self._weather = weather

    async def take(self, pipelines: Sequence[str], limit: int, again_after: float) -> Any:
        return await self._weather.through(lambda: super(FlakySteps, self).take(pipelines, limit, again_after))

    async def postpone(self, keys: Any, seconds: float) -> Any:
        return await self._weather.through(lambda: super(FlakySteps, self).postpone(keys, seconds))

    async def exchange(self, exchange: Any) -> Any:
        return await self._weather.through(lambda: super(FlakySteps, self).exchange(exchange))

    async def beat(self, holds: Any, lease: float) -> Any:
        return await self._weather.through(lambda: super(FlakySteps, self).beat(holds, lease))

    async def reap(self, limit: int) -> int:
        return await self._weather.through(lambda: super(FlakySteps, self).reap(limit))

    async def results(self, wanted: Any) -> Any:
        return await self._weather.through(lambda: super(FlakySteps, self).results(wanted))

    async def ended(self, limit: int) -> Any:
        return await self._weather.through(lambda: super(FlakySteps, self).ended(limit))

    async def told(self, runs: Any) -> None:
        await self._weather.through(lambda: super(FlakySteps, self).told(runs))

    async def letters(self, limit: int) -> Any:
        return await self._weather.through(lambda: super(FlakySteps, self).letters(limit))

    async def remove_letters(self, ids: Any) -> None:
        await self._weather.through(lambda: super(FlakySteps, self).remove_letters(ids))


class FlakyBroker(Passage):
    """A broker that does not take all messages, or does not say so."""

    def __init__(self, broker: Any, weather: Weather) -> None:
        super().__init__(broker)
        self._weather = weather

    async def publish(self, messages: Sequence[Message]) -> None:
        await self._weather.through(lambda: super(FlakyBroker, self).publish(messages))


def through(weather: Weather) -> Callable[[Settings, Clock], Awaitable[Ports]]:
    async def opened(settings: Settings, clock: Clock) -> Ports:
        ports = await open_ports(settings, clock)

        async def open_steps() -> OpenSteps:
            steps = await ports.open_steps()
            return replace(steps, steps=FlakySteps(steps.steps, weather))

        return replace(ports, broker=FlakyBroker(ports.broker, weather), open_steps=open_steps)

    return opened


async def outcome_of(run: Run[int]) -> object:
    try:
        return await run.result()
    except JobFailed as failed:
        return type(failed)


@pytest.mark.parametrize("seed", [3, *(pytest.param(seed, marks=pytest.mark.chaos) for seed in range(4, 12))])
async def test_every_run_ends_with_its_own_result_and_no_step_is_done_twice(
    app: Goatherd, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(insistence, "FIRST_PAUSE", 0.002)
    for name, shorter in (("FIRST_PAUSE", 0.002), ("LONGEST_PAUSE", 0.02), ("AGAIN_AFTER", 0.1), ("SOON", 0.02)):
        monkeypatch.setattr(conductor, name, shorter)
    weather = Weather(seed)
    done: list[object] = []
    app.opener = through(weather)
    films = app.pipeline("films", takes=int, gives=int)

    @films.step(after=films.input)
    async def cut(count: int) -> list[int]:
        done.append(("cut", count))
        return list(range(count))

    @films.map(over=cut, after=films.input, concurrency=2)
    async def hear(scene: int, count: int) -> int:
        done.append(("hear", count, scene))
        return scene + 1

    @films.map(over=cut, after=films.input, batch=3)
    async def see(scenes: list[int], count: int) -> list[int]:
        done.append(("see", count, *scenes))
        return [scene + 2 for scene in scenes]

    @films.step(after=(hear, see))
    async def join(heard: list[int], seen: list[int]) -> int:
        if len(heard) == 5:
            raise ValueError("five")
        return sum(heard) + sum(seen)

    async with app, working(app, concurrency=8):
        runs = [await films.options(id=f"{count}").start(count) for count in range(12)]
        weather.calm = False
        async with asyncio.timeout(60):
            outcomes = [await outcome_of(run) for run in runs]
        weather.calm = True
    assert outcomes == [JobFailed if count == 5 else count * (count - 1) + 3 * count for count in range(12)]
    assert len(done) == len(set(done))
