"""Jobs that can be asked about by their id, in any process: begun, looked at, waited for."""

import asyncio
import logging

from goatherd.engine.enqueue import Sender
from goatherd.engine.shared_answers import EventsOpener
from goatherd.errors import JobFailed, Unavailable, UnknownJob
from goatherd.model.admission import Append
from goatherd.model.event import Failed, Queued
from goatherd.model.job import AnyJob
from goatherd.model.job_state import JobState
from goatherd.ports.clock import Clock
from goatherd.ports.events import Events

#: Seconds of silence after which whoever waits looks for itself: a call may be lost.
LOOK_AGAIN_AFTER = 5.0

#: Seconds beyond a call's deadline to note that it is over.
LAST_MOMENT = 0.5

log = logging.getLogger("goatherd.runs")


class Tracked:
    """The tracked jobs of one app, as one process sees them."""

    def __init__(self, open_events: EventsOpener, sender: Sender, clock: Clock) -> None:
        self._open_events = open_events
        self._sender = sender
        self._clock = clock

    async def start(self, job: AnyJob, deadline: float | None = None) -> None:
        """Send a job and note that it waits; both are durable when this returns."""
        events = await self._open_events()
        queued = Queued(attempt=0, at=self._clock.now())
        outcome = await events.append(job.id, Append(events=[queued]))
        if outcome.answer == "closed" or (outcome.answer == "duplicate" and not await self._still_queued(job.id)):
            return
        # Noted before and still waiting: whoever noted it may have died before it was sent.
        try:
            await self._sender.send(job, deadline)
        except BaseException as error:
            await self._note_unsent(events, job.id, error)
            raise

    async def state(self, job_id: str) -> JobState:
        """How it stands; raises UnknownJob."""
        state = await (await self._open_events()).state(job_id)
        if state is None:
            raise UnknownJob(job_id)
        return state

    async def end(self, job_id: str) -> JobState:
        """Wait for the end, however long it takes; raises UnknownJob."""
        events = await self._open_events()
        woken = asyncio.Event()
        watch = await events.watch(job_id, lambda _entries: woken.set())
        try:
            state = await self.state(job_id)
            while not state.closed:
                await self._woken_or_weary(woken)
                woken.clear()
                try:
                    state = await self.state(job_id)
                except Unavailable as error:
                    # The job goes on without the store, and so does the wait for it.
                    log.warning("How job %s stands cannot be seen for now: %s", job_id, error)
            return state
        finally:
            await watch.stop()

    async def _woken_or_weary(self, woken: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(LOOK_AGAIN_AFTER):
                await woken.wait()
        except TimeoutError:
            # A call may be lost; then it is time to look.
            return

    async def expire(self, job_id: str, why: str) -> None:
        """Its caller has given up: note the end, as well as can be in a moment."""
        ended = Failed(attempt=0, at=self._clock.now(), reason="expired", error="CallTimeout", message=why)
        try:
            async with asyncio.timeout(LAST_MOMENT):
                await (await self._open_events()).append(job_id, Append(events=[ended]))
        except (TimeoutError, Unavailable) as trouble:
            log.warning("Nobody waits for job %s any more, which could not be noted: %s", job_id, trouble)

    async def _still_queued(self, job_id: str) -> bool:
        return (await self.state(job_id)).status == "queued"

    async def _note_unsent(self, events: Events, job_id: str, error: BaseException) -> None:
        told = Failed(attempt=0, at=self._clock.now(), reason="lost", error=type(error).__name__, message=str(error))
        try:
            await events.append(job_id, Append(events=[told]))
        except Unavailable as trouble:
            log.warning("Job %s was not sent, but is noted as waiting until its events expire: %s", job_id, trouble)


def failure_of(job_id: str, state: JobState) -> JobFailed:
    """The error of a job that has failed."""
    return JobFailed(job_id, state.error or state.status, state.message, state.traceback)
