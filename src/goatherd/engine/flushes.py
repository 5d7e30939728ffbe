"""Flush a tally: set totals apart, make jobs of them, and hand these to their lanes or to the broker."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from goatherd.engine.apart import apart
from goatherd.engine.enqueue import Sender, prepare
from goatherd.engine.means import Means
from goatherd.engine.traced import traced_sending
from goatherd.errors import GoatherdError, Unavailable
from goatherd.model.job import AnyJob, JobOptions
from goatherd.model.message import Message
from goatherd.model.tally import GROUP, GROUP_SEQ, Batch, job_id, unconditional
from goatherd.model.task import TaskDefinition
from goatherd.ports.tallies import Tallies

#: Totals that become jobs in one step.
BATCH = 500
#: Seconds between two tries while a store or the broker is away: the first and the longest.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
#: What part of the time between two rounds, and how many seconds at most, others let the first one have.
SPREAD, LONGEST_SPREAD = 0.1, 0.5
#: Seconds that a flush that is under way may take when it is told to end.
LAST_WORDS = 5.0

TalliesOpener: TypeAlias = Callable[[], Awaitable[Tallies]]

log = logging.getLogger("goatherd.tallies")


@dataclass(frozen=True, kw_only=True)
class Flush:
    """What becomes of the totals of a tally."""

    tally: str
    every: float
    task: TaskDefinition
    app: str
    payload_limit: int


class Flusher:
    """Of one tally, in one process. There may be any number of them; the store sees to it that none is in the way."""

    def __init__(self, flush: Flush, open_tallies: TalliesOpener, sender: Sender, means: Means) -> None:
        self._flush = flush
        self._open_tallies = open_tallies
        self._sender = sender
        self._means = means
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._failures = 0
        #: What keeps totals from becoming jobs; None if nothing does.
        self.trouble: str | None = None
        #: Is told of messages that are about to be handed over.
        self.handing: Callable[[Sequence[Message]], None] = lambda _messages: None

    @property
    def tally(self) -> str:
        """Whose totals they are."""
        return self._flush.tally

    def start(self) -> None:
        """Flush from now on, beginning with what others left."""
        self._stopping.clear()
        self._task = apart(self._run(), f"goatherd flush of {self._flush.tally}")

    async def stop(self) -> None:
        """End, after what is under way; what is left is flushed by others, or later. Idempotent."""
        task, self._task = self._task, None
        if task is None:
            return
        self._stopping.set()
        _, late = await asyncio.wait([task], timeout=LAST_WORDS)
        if late:
            task.cancel()
            await asyncio.wait([task], timeout=1.0)

    async def flush(self) -> float:
        """Make jobs of all totals that are due; tells in how many seconds the next are. Raises Unavailable."""
        flush, tallies = self._flush, await self._open_tallies()
        while True:
            sealed = await tallies.seal(flush.tally, flush.every, BATCH)
            if not sealed.batches:
                return sealed.next_due
            await self._hand_over(tallies, sealed.batches)
            if self._stopping.is_set():
                return sealed.next_due

    async def has_totals(self) -> bool:
        """Whether there is anything to make jobs of, now or later. Raises Unavailable."""
        keys, _ = await (await self._open_tallies()).waiting(self._flush.tally)
        return keys > 0

    async def _run(self) -> None:
        while not self._stopping.is_set():
            await self._rest(await self._flush_in_peace())

    async def _flush_in_peace(self) -> float:
        """Flush, whatever happens; tells how long to wait for the next time."""
        try:
            due = await self.flush()
        except Unavailable as error:
            return self._failed(error)
        except GoatherdError as error:
            self.trouble = str(error)
            log.error("The tally %r is not flushed: %s", self._flush.tally, error)  # noqa: TRY400 - it says what to do
            return LONGEST_PAUSE
        except Exception as error:
            log.exception("The tally %r could not be flushed; this is a fault of Goatherd", self._flush.tally)
            return self._failed(error)
        if self._failures:
            log.warning("The tally %r is flushed again", self._flush.tally)
        self._failures, self.trouble = 0, None
        # All would come at the same moment, and do the same work.
        return due + random.uniform(0.0, min(LONGEST_SPREAD, SPREAD * self._flush.every))

    def _failed(self, error: Exception) -> float:
        self.trouble = str(error) or type(error).__name__
        if not self._failures:
            log.warning("The tally %r cannot be flushed; trying until it can: %s", self._flush.tally, error)
        pause = min(LONGEST_PAUSE, SHORTEST_PAUSE * 2**self._failures)
        self._failures = min(self._failures + 1, 10)
        return random.uniform(pause / 2, pause)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return

    async def _hand_over(self, tallies: Tallies, batches: Sequence[Batch]) -> None:
        """Have the jobs of batches accepted, and the batches forgotten."""
        jobs = [self._job(batch) for batch in batches]
        await traced_sending(self._means.tracer, "send", jobs, self._hand_over_jobs(tallies, batches, jobs))

    async def _hand_over_jobs(self, tallies: Tallies, batches: Sequence[Batch], jobs: Sequence[AnyJob]) -> None:
        tally = self._flush.tally
        if self._flush.task.remote:
            messages = [self._abroad(job, batch) for job, batch in zip(jobs, batches, strict=True)]
            self.handing(messages)
            await self._means.broker.publish(messages)
            await tallies.done(tally, batches)
            taken = len(messages)
        else:
            messages = [self._sender.message(job) for job in jobs]
            self.handing(messages)
            items = [
                unconditional(self._sender.item(job, message)) for job, message in zip(jobs, messages, strict=True)
            ]
            taken = await tallies.post(tally, list(zip(batches, items, strict=True)))
        for message in messages[:taken]:
            self._means.telemetry.sent(message)
        log.debug("%d totals of the tally %r are jobs now", taken, tally)

    def _job(self, batch: Batch) -> AnyJob:
        flush = self._flush
        options = JobOptions(id=job_id(flush.tally, batch))
        return prepare(flush.task, (batch.key, batch.total), {}, options, flush.payload_limit, flush.app)

    def _abroad(self, job: AnyJob, batch: Batch) -> Message:
        """A job for a program elsewhere, which knows by these that it is the next of its key, or an old one."""
        return self._sender.message(job, headers={GROUP: batch.key, GROUP_SEQ: batch.seq})
