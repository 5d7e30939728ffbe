"""What a worker does now: one asyncio task for each delivery in its hands."""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextvars import copy_context
from typing import Any, TypeAlias

from goatherd.engine.admission import Admitted
from goatherd.engine.lane_source import Held
from goatherd.model.lane import shown
from goatherd.model.message import Delivery
from goatherd.model.process import RunningJob
from goatherd.ports.clock import Clock

#: The task, the job if it is one that is done and not only settled or put elsewhere, and since when.
Doing: TypeAlias = tuple[asyncio.Task[None], Admitted | None, float]

log = logging.getLogger("goatherd.worker")


class Running(dict[Delivery, Doing]):
    """Of one worker; whoever ends something takes it out. A dict, because every job comes by several times."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._now = clock.now
        #: What every job's code starts from. One job begins when another ends, and must not inherit its variables.
        self._surroundings = copy_context()

    def begin(self, delivery: Delivery, doing: Coroutine[Any, Any, None], name: str, job: Admitted | None) -> None:
        """Do it from now on."""
        loop = asyncio.get_running_loop()
        task = loop.create_task(doing, name=name, context=self._surroundings.copy())
        self[delivery] = task, job, self._now()

    def task_of(self, delivery: Delivery) -> asyncio.Task[None] | None:
        """What does it; None if nothing does any more."""
        doing = self.get(delivery)
        return None if doing is None else doing[0]

    def calls(self, job_id: str) -> Iterator[asyncio.Task[None]]:
        """What does jobs of that id for whose answers somebody waits."""
        for delivery, (task, _, _) in self.items():
            if delivery.message.id == job_id and delivery.message.reply_to:
                yield task

    def jobs(self) -> list[RunningJob]:
        """Those that are done now, the oldest first."""
        return [
            _told(delivery, job, since)
            for delivery, (_, job, since) in sorted(self.items(), key=lambda each: each[1][2])
            if job is not None
        ]

    async def all_ended(self) -> None:
        """Return when those that run now have ended."""
        await asyncio.wait([task for task, _, _ in self.values()])

    async def cancel(self, seconds: float) -> None:
        """Stop them, and leave those behind that do not stop in time."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while (tasks := [task for task, _, _ in self.values() if not task.done()]) and clock() < deadline:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=1.0)
        for task in tasks:
            log.error("%s did not stop when it was cancelled; it is given to others as it is", task.get_name())


def _told(delivery: Delivery, job: Admitted, since: float) -> RunningJob:
    key = shown(delivery.tag.name) if isinstance(delivery.tag, Held) else ""
    return RunningJob(job_id=job.work.job_id, task=job.task.name, queue=delivery.message.queue, key=key, since=since)
