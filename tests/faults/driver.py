"""Sends jobs through every outage, as a careful program does: what was not accepted is sent again under the same id."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from itertools import islice
from typing import Any

from goatherd import Goatherd, Unavailable
from goatherd.model.job import Job

#: Jobs that are sent in one go.
BATCH = 100


class Driver:
    """Knows what was accepted, and what may have been sent twice."""

    def __init__(self, app: Goatherd, turn: Callable[[int], Awaitable[None]], deadline: float) -> None:
        self._app = app
        #: Returns when the job of that number may be sent.
        self._turn = turn
        self._deadline = time.monotonic() + deadline
        self.accepted: list[str] = []
        #: Ids that were told as not accepted and then sent again: the broker may have taken them all the same.
        self.sent_again: Counter[str] = Counter()
        self.outages = 0

    async def send_all(self, jobs: Iterable[Job[Any]]) -> None:
        """Send in batches until all are accepted; raises Unavailable at the deadline."""
        rest = iter(jobs)
        while batch := list(islice(rest, BATCH)):
            await self._turn(len(self.accepted))
            await self._send(batch)

    async def _send(self, batch: list[Job[Any]]) -> None:
        left = {job.id: job for job in batch}
        while left:
            try:
                self.accepted += await self._app.send_many(left.values())
                return
            except Unavailable as error:
                if time.monotonic() > self._deadline:
                    raise
                self.outages += 1
                refused = set(error.jobs)
                assert refused <= set(left), "only what was sent can have been refused"
                self.accepted += [job for job in left if job not in refused]
                left = {job: left[job] for job in left if job in refused}
                self.sent_again.update(left.keys())
