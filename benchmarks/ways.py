"""Send many jobs from many senders: by tasks of one loop or by threads, whichever a library is made for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from benchmarks.contender import Send, SendAll

SENDERS = 64


def sends(call: Callable[[int], object]) -> Send:
    """A blocking call as a `Send`; the loop has nothing else to do meanwhile."""

    async def send(sent: int) -> None:
        call(sent)

    return send


def by_tasks(send: Send) -> SendAll:
    """64 tasks on one loop, each waiting for its own job before it sends the next."""

    async def one(share: Sequence[int]) -> None:
        for sent in share:
            await send(sent)

    async def send_all(jobs: Sequence[int]) -> None:
        async with asyncio.TaskGroup() as senders:
            for share in shares(jobs):
                senders.create_task(one(share))

    return send_all


def by_threads(call: Callable[[int], object]) -> SendAll:
    """64 threads, each waiting for its own job before it sends the next; they stay, with what they have opened."""
    threads = ThreadPoolExecutor(SENDERS)

    def one(together: Barrier, share: Sequence[int]) -> None:
        together.wait()
        for sent in share:
            call(sent)

    async def send_all(jobs: Sequence[int]) -> None:
        dealt = shares(jobs)
        together = Barrier(len(dealt))
        for ended in [threads.submit(one, together, share) for share in dealt]:
            ended.result()

    return send_all


def in_one_go(call: Callable[[Sequence[int]], Awaitable[object]]) -> SendAll:
    """A library's own batch call as a `SendAll`."""

    async def send_all(jobs: Sequence[int]) -> None:
        await call(jobs)

    return send_all


def shares(jobs: Sequence[int]) -> list[Sequence[int]]:
    """The jobs dealt out to the senders."""
    return [jobs[first::SENDERS] for first in range(min(SENDERS, len(jobs)))]
