"""The plain design on the same Redis: a list and a lock for each key. See `benchmarks.naive.lanes_plain`."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import redis.asyncio

from benchmarks.contender import Promise
from benchmarks.lanes.contender import CONCURRENCY, Keyed, Ordered, Sender
from benchmarks.lanes.places import redis_of
from benchmarks.lanes.ways import by_keys
from benchmarks.loops import run
from benchmarks.naive.lanes_plain import PlainLanes
from benchmarks.tape import mark

PROMISE = Promise(delivery="at most once", synced=False, note="a worker that dies takes the item with it")


@dataclass(frozen=True, kw_only=True)
class PlainContender:
    """So many tasks that each take a job, as one worker process."""

    label: str = "plain design, Redis"
    package: str = "redis"
    promise: Promise = PROMISE
    on_uvloop: bool = True
    keeps_order: bool = True

    async def prepare(self, place: Path) -> None:
        """There is nothing to make."""

    @asynccontextmanager
    async def sending(self, place: Path) -> AsyncIterator[Sender]:
        async with redis.asyncio.Redis.from_url(redis_of(place)) as server:
            lanes = PlainLanes(server)

            async def one(sent: Keyed) -> None:
                await lanes.add(str(sent.key), str(sent.number).encode())

            yield Sender(one=one, many=by_keys(one))

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        async with redis.asyncio.Redis.from_url(redis_of(place)) as server:
            return await PlainLanes(server).left()

    async def _work(self, place: Path, stop: threading.Event) -> None:
        async with redis.asyncio.Redis.from_url(redis_of(place)) as server:
            lanes = PlainLanes(server)
            async with asyncio.TaskGroup() as hands:
                for _ in range(CONCURRENCY):
                    hands.create_task(_do_jobs(lanes, stop))


async def _do_jobs(lanes: PlainLanes, stop: threading.Event) -> None:
    while not stop.is_set():
        key = await lanes.next_job()
        if key is None:
            continue
        item = await lanes.take(key)
        if item is not None:
            mark(int(item))
        await lanes.go_on(key)


CONTENDER: Ordered = PlainContender()
