"""Delays on one file: never early, and a short one is not held up by a long one."""

import asyncio
import random
import time
from pathlib import Path

from goatherd import Goatherd

DELAYS = 1000


async def test_a_thousand_random_delays_are_never_early(tmp_path: Path) -> None:
    app = Goatherd("delays", broker_url=f"sqlite:///{tmp_path}/jobs.db")
    late: list[float] = []
    all_came = asyncio.Event()

    @app.task
    async def note(due: float) -> None:
        late.append(time.time() - due)
        if len(late) == DELAYS:
            all_came.set()

    chance = random.Random(5)
    async with app.serve("worker"):
        for _ in range(DELAYS // 100):
            delays = [chance.uniform(0.05, 4.0) for _ in range(100)]
            # The job's own due time is taken before it is sent, so the store's can only be later.
            jobs = [note.options(delay=delay).job(due=time.time() + delay) for delay in delays]
            await app.send_many(jobs)
        async with asyncio.timeout(30):
            await all_came.wait()
    assert min(late) >= 0


async def test_a_short_delay_behind_a_long_one_arrives_on_time(tmp_path: Path) -> None:
    app = Goatherd("delays", broker_url=f"sqlite:///{tmp_path}/jobs.db")
    came: asyncio.Queue[tuple[str, float]] = asyncio.Queue()

    @app.task
    async def note(name: str) -> None:
        came.put_nowait((name, time.time()))

    async with app.serve("worker"):
        await note.options(delay=60).send("long")
        sent = time.time()
        await note.options(delay=0.2).send("short")
        async with asyncio.timeout(10):
            name, at = await came.get()
    assert name == "short"
    assert 0.2 <= at - sent < 5
