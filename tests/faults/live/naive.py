"""The naive flow under the same driver."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import redis.asyncio
from redis.exceptions import RedisError

from benchmarks.naive.worker import NaiveAttempt
from tests.faults.live.arena import Build
from tests.faults.live.client import Habit
from tests.faults.live.script import Mark, Script

BUILD = Build(
    teller="tests.faults.live.naive:naive_teller",
    gateway=("benchmarks.naive.gateway", "{port}", "{redis}"),
    router=("benchmarks.naive.router", "{redis}"),
    signed=False,
)
#: Clients that never leave.
STAYING = (Habit(),)
#: It knows no ids, and nothing but streams.
HABITS = (
    Habit(), Habit(), Habit(breaks_off=10, cursor="reload"), Habit(breaks_off=10, cursor="token"), Habit(rests=0.2),
)  # fmt: skip

#: Times that a worker tries to tell something; after that it goes on without it.
TRIES = 3


class ToldNaively:
    """Satisfies `Attempt`."""

    over = False

    def __init__(self, attempt: NaiveAttempt) -> None:
        self._attempt = attempt

    async def say(self, script: Script, mark: Mark) -> None:
        if script.is_stage(mark.number):
            progress = script.percent(mark)
            await _try(lambda: self._attempt.stage(script.stage(mark), "running", progress=progress))
        else:
            await _try(lambda: self._attempt.token(script.piece(mark)))

    async def fail(self) -> None:
        await _try(lambda: self._attempt.stage("retrying", "retrying", ts=0.0))

    async def end(self, result: str) -> None:
        await _try(self._attempt.save)
        await _try(lambda: self._attempt.stage("done", "completed", result=result))


class NaiveTeller:
    """Satisfies `Teller`."""

    def __init__(self, server: "redis.asyncio.Redis") -> None:
        self._server = server

    async def begin(self, job: str, attempt: int) -> ToldNaively:
        begun = NaiveAttempt(self._server, job, attempt)
        await _try(lambda: begun.stage("started", "running", ts=0.0))
        return ToldNaively(begun)


@asynccontextmanager
async def naive_teller(url: str, _window: float) -> AsyncIterator[NaiveTeller]:
    async with redis.asyncio.Redis.from_url(url) as server:
        yield NaiveTeller(server)


async def _try(what: Callable[[], Awaitable[None]]) -> None:
    for _ in range(TRIES):
        try:
            return await what()
        except (RedisError, OSError):
            continue
    return None
