"""Send jobs of which there is to be one: whoever comes second is told the id of the first."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from goatherd.engine.remembered import Remembered
from goatherd.engine.unique_batch import Batch
from goatherd.errors import Unavailable
from goatherd.model.ids import new_id
from goatherd.model.job import AnyJob
from goatherd.model.lane import REMEMBERED_FOR
from goatherd.model.message import UNIQUE, Message
from goatherd.model.unique import UniqueClaim, key_of_id
from goatherd.ports.clock import Clock
from goatherd.ports.uniques import Uniques

#: Seconds between two looks at a key whose job is just being sent.
LOOK_AGAIN_AFTER = 0.05
#: Takings of keys after which others are forgotten, of which there may be twenty.
FORGET_EVERY = 10
#: Seconds beyond what sending may take, after which a sender is given up for dead.
SLACK = 2.0

UniquesOpener: TypeAlias = Callable[[], Awaitable[Uniques]]
#: Sends some jobs, in order.
SendJobs: TypeAlias = Callable[[Sequence[AnyJob]], Awaitable[object]]

log = logging.getLogger("goatherd.unique")


class Uniqueness:
    """The jobs of one app of which there is to be one. Those that do not ask for it cost nothing."""

    def __init__(self, app: str, open_uniques: UniquesOpener, clock: Clock, deadline: float, *, shared: bool) -> None:
        self._app = app
        self._open = open_uniques
        self._clock = clock
        self._deadline = deadline
        #: Whether there is a store that all processes see. Without it ids are remembered by this process alone.
        self._shared = shared
        self._sent = Remembered()
        self._asked = 0
        #: Seconds for which a key whose job is being sent is waited for; by then it is free, or its job is sent.
        self.patience = deadline + 2 * SLACK

    def concerns(self, job: AnyJob, *, tracked: bool) -> bool:
        """Whether it matters what was sent before."""
        return job.unique is not None or self._by_id(job, tracked=tracked)

    def claims(self, job: AnyJob, *, tracked: bool) -> list[UniqueClaim]:
        """The keys that a job wants for itself."""
        now, options = self._clock.now(), job.options
        delay = max(0.0, (options.due(now) or now) - now)
        claims = []
        if job.unique is not None:
            deadline = options.deadline if options.deadline is not None else job.definition.deadline
            span = job.unique.seconds_for(delay, deadline)
            claims.append(UniqueClaim(key=job.unique.key, job=job.id, seconds=span))
        if self._shared and self._by_id(job, tracked=tracked):
            key = key_of_id(self._app, job.id)
            claims.append(UniqueClaim(key=key, job=job.id, seconds=delay + REMEMBERED_FOR))
        return claims

    async def send(self, jobs: Sequence[AnyJob], send: SendJobs, *, tracked: bool = False) -> list[str]:
        """Send those that are not there yet; the ids of all, each its own or that of the job that came first."""
        batch = Batch()
        for job in jobs:
            if self._by_id(job, tracked=tracked) and not self._shared and job.id in self._sent:
                batch.skip(job)
            else:
                batch.add(job, self.claims(job, tracked=tracked))
        sender = new_id()
        if batch.claims:
            await self._take(await self.opened(), batch, sender)
        if batch.to_send:
            await self._send(batch, send, sender)
        for job in batch.to_send:
            if job.options.id is not None:
                self._sent.add(job.id)
        return [batch.id_of(job) for job in jobs]

    async def opened(self) -> Uniques:
        """The store, from which keys are about to be taken; what is over there is forgotten now and then."""
        uniques = await self._open()
        self._asked += 1
        if self._asked % FORGET_EVERY == 0:
            await uniques.forget()
        return uniques

    async def release(self, message: Message) -> None:
        """A job has ended: let go of its key, if it has one. What cannot be told now is over after a day."""
        key = message.headers.get(UNIQUE)
        if not isinstance(key, str):
            return
        try:
            await (await self._open()).release([(key, message.id)])
        except Unavailable as error:
            log.warning("Job %s has ended, but keeps others of its kind out until its time is over: %s",
                        message.id, error)  # fmt: skip

    async def cancelled(self, job_id: str) -> None:
        """A job was cancelled and may be gone without a worker having seen it, whose keys are not known."""
        try:
            await (await self._open()).release_job(job_id)
        except Unavailable as error:
            log.warning("Job %s is cancelled, but may keep others of its kind out until its time is over: %s",
                        job_id, error)  # fmt: skip

    def _by_id(self, job: AnyJob, *, tracked: bool) -> bool:
        # Lanes remember ids themselves, and so do the events of tracked jobs.
        return job.options.id is not None and job.lane is None and not tracked

    async def _take(self, uniques: Uniques, batch: Batch, sender: str) -> None:
        hold, loop = self._deadline + SLACK, asyncio.get_running_loop()
        began = loop.time()
        while True:
            # All of them each time, so that what is had already is not lost while the rest is waited for.
            claims = batch.claims
            answers = await uniques.take(claims, sender, hold)
            for claim, answer in zip(claims, answers, strict=True):
                if answer.state == "taken":
                    batch.lose(claim.job, answer.job)
            lost = [claim for claim in claims if claim not in batch.claims]
            if lost:
                await uniques.give_up(lost, sender)
            pending = [answer.job for answer in answers if answer.state == "pending"]
            if not pending:
                return
            if (waited := loop.time() - began) >= self.patience:
                await uniques.give_up(batch.claims, sender)
                raise not_known(pending[0], waited, [job.id for job in batch.to_send])
            await asyncio.sleep(LOOK_AGAIN_AFTER)

    async def _send(self, batch: Batch, send: SendJobs, sender: str) -> None:
        try:
            await send(batch.to_send)
        except Unavailable as error:
            refused = set(error.jobs) or {job.id for job in batch.to_send}
            await self._settle(batch, sender, refused)
            raise
        await self._settle(batch, sender, frozenset())

    async def _settle(self, batch: Batch, sender: str, refused: "set[str] | frozenset[str]") -> None:
        sent = [claim for claim in batch.claims if claim.job not in refused]
        unsent = [claim for claim in batch.claims if claim.job in refused]
        try:
            if sent:
                await (await self._open()).keep(sent, sender)
            if unsent:
                await (await self._open()).give_up(unsent, sender)
        except Unavailable as error:
            # They are free again soon: a second job may be made, but none is taken for sent that was not.
            log.warning("It could not be noted which jobs were sent, so a second one of a kind may be: %s", error)


def not_known(job: str, waited: float, jobs: Sequence[str]) -> Unavailable:
    """The error for jobs of a kind of which another is just being sent."""
    return Unavailable(
        f"Another process has been sending job {job} for {waited:.0f} s, so it is not known whether there is one. "
        f"Nothing was sent; try again.",
        jobs=jobs,
    )
