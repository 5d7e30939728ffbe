"""Send many jobs from many senders without turning the order within a key around."""

import asyncio
from collections.abc import Sequence

from benchmarks.lanes.contender import Keyed, Send, SendMany
from benchmarks.ways import SENDERS


def by_keys(send: Send) -> SendMany:
    """64 tasks on one loop; all jobs of a key are sent by the same one, each after the one before was accepted."""

    async def one(share: Sequence[Keyed]) -> None:
        for job in share:
            await send(job)

    async def send_many(jobs: Sequence[Keyed]) -> None:
        async with asyncio.TaskGroup() as senders:
            for sender in range(SENDERS):
                senders.create_task(one([job for job in jobs if job.key % SENDERS == sender]))

    return send_many
