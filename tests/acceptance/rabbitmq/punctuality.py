"""How punctual delayed jobs are, and how much of their lateness is only a busy machine's."""

import asyncio
import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from goatherd import Context, Goatherd

#: Seconds between two jobs without a delay, which show how long any job takes here and now.
CONTROL_EVERY = 0.05


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """One delayed job: the seconds that were asked for, and when it was sent, accepted and begun."""

    asked: float
    sent: float
    accepted: float
    begun: float

    @property
    def early(self) -> bool:
        return self.begun < self.sent + self.asked

    @property
    def late(self) -> float:
        """Seconds after it was due; what was due before it was accepted can only come after that."""
        return self.begun - max(self.sent + self.asked, self.accepted)


@dataclass(kw_only=True)
class Punctuality:
    """Sends delayed jobs to a worker in this process and notes when each starts."""

    app: Goatherd
    begun: dict[str, float] = field(default_factory=dict)
    #: The longest that a job without a delay took while the others came in.
    noise: float = 0.0

    def __post_init__(self) -> None:
        @self.app.task
        async def note(ctx: Context) -> None:
            self.begun[ctx.job_id] = time.time()

        self._note = note

    async def measure(self, delays: Iterable[float], patience: float) -> list[Arrival]:
        """Send one job for each delay, and wait for all."""
        jobs = [(delay, self._note.options(delay=delay).job()) for delay in delays]
        control = asyncio.create_task(self._control(), name="control")
        try:
            before = time.time()
            await self.app.send_many(job for _, job in jobs)
            after = time.time()
            async with asyncio.timeout(patience):
                while not all(job.id in self.begun for _, job in jobs):
                    await asyncio.sleep(0.05)
        finally:
            control.cancel()
        return [Arrival(asked=delay, sent=before, accepted=after, begun=self.begun[job.id]) for delay, job in jobs]

    async def _control(self) -> None:
        while True:
            sent = time.time()
            job = await self._note.send()
            while job not in self.begun:
                await asyncio.sleep(0.001)
            self.noise = max(self.noise, self.begun[job] - sent)
            await asyncio.sleep(CONTROL_EVERY)


def some_delays(count: int, shortest: float, longest: float, seed: int) -> list[float]:
    """Random, but the same in every run."""
    chance = random.Random(seed)
    return [chance.uniform(shortest, longest) for _ in range(count)]
