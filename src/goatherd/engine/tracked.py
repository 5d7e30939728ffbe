"""Jobs that can be asked about by their id, in any process: begun, looked at, waited for."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from goatherd.engine.emitters import Habits
from goatherd.engine.enqueue import Sender
from goatherd.engine.hub import GONE_AFTER
from goatherd.engine.means import Means
from goatherd.engine.noting import Noting
from goatherd.engine.remembered import Remembered
from goatherd.engine.shared_answers import EventsOpener
from goatherd.errors import JobCancelled, JobExpired, JobFailed, Unavailable, UnknownJob
from goatherd.model.admission import Append, Outcome
from goatherd.model.event import ENDS, Entry, Failed, Position, Queued
from goatherd.model.introduction import Introduction, introduced, introduced_by
from goatherd.model.job import AnyJob
from goatherd.model.job_state import JobState
from goatherd.model.message import NO_HEADERS, TRACKED, Headers, Message
from goatherd.model.trace_context import NO_CARRIER, carrier_in
from goatherd.ports.events import Events

#: Seconds of silence after which whoever waits looks for itself: a call may be lost.
LOOK_AGAIN_AFTER = 5.0

#: Seconds between two looks at a job about which much is written.
BREATH = 0.003

#: Seconds for which a job that was written in a user's transaction is waited for, and between two looks.
EXPECTED_FOR, EXPECTED_LOOK = 5.0, 0.03

#: Seconds beyond a call's deadline to note that it is over.
LAST_MOMENT = 0.5

_FAILURES: Mapping[str, type[JobFailed]] = {"cancelled": JobCancelled, "expired": JobExpired}

log = logging.getLogger("goatherd.runs")


class Tracked:
    """The tracked jobs of one app, as one process sees them."""

    def __init__(
        self,
        open_events: EventsOpener,
        sender: Sender,
        means: Means,
        habits: Habits,
        before_notes: Callable[[], Awaitable[None]],
    ) -> None:
        self._open_events = open_events
        self._sender = sender
        self._courier = means.courier
        self._clock = means.clock
        self._habits = habits
        #: What this process has sent, so that an id which it uses twice stands for one job.
        self._sent = Remembered()
        #: What this process has written in users' transactions, and is known when these are committed.
        self.expected = Remembered()
        #: Told of a job that was cancelled, and may never come to a worker.
        self.on_cancel: Callable[[str], Awaitable[None]] | None = None
        #: Done before a job is noted that is only sent.
        self._before_notes = before_notes
        self._noting = Noting()

    async def start(self, job: AnyJob, deadline: float | None = None) -> None:
        """Send a job and note that it waits; both are durable when this returns."""
        queued = self._queued(job)
        await self._send_noted(job, deadline, queued, *await self._noted(job.id, queued))

    async def send(self, job: AnyJob) -> None:
        """The same for one that nobody need watch: while it cannot be noted, it is sent, and noted when it starts."""
        queued = self._queued(job)

        async def note() -> tuple[Events, Outcome]:
            await self._before_notes()
            return await self._noted(job.id, queued)

        noted = await self._noting.attempt(note)
        if noted is not None:
            await self._send_noted(job, None, queued, *noted)
        else:
            # Without the header by which workers know that somebody has said what it is.
            await self._sender.send(job)

    async def _noted(self, job_id: str, queued: Queued) -> tuple[Events, Outcome]:
        events = await self._open_events()
        return events, await events.append(job_id, Append(events=[queued]))

    async def _send_noted(
        self, job: AnyJob, deadline: float | None, queued: Queued, events: Events, outcome: Outcome
    ) -> None:
        if outcome.answer != "ok" and not await self._may_be_unsent(events, job.id, queued):
            return
        try:
            await self._keep_until_due(events, job.id, job.options.due(self._clock.now()))
            await self._sender.send(job, deadline, self.headers(job))
            self._sent.add(job.id)
        except BaseException as error:
            await self._note_unsent(events, job.id, error)
            raise

    async def note_waiting(self, message: Message) -> bool:
        """Note that a job waits which is sent in a moment, perhaps once more; false if it has ended already."""
        events = await self._open_events()
        told = introduced_by(message, self._habits.redact)
        queued = Queued(attempt=0, at=self._clock.now(), trace=carrier_in(message.headers), **told)
        outcome = await events.append(message.id, Append(events=[queued]))
        if outcome.answer != "ok" and (await self.state(message.id)).closed:
            return False
        await self._keep_until_due(events, message.id, message.due)
        return True

    async def state(self, job_id: str) -> JobState:
        """How it stands; raises UnknownJob."""
        state = await (await self._open_events()).state(job_id)
        if state is None:
            raise UnknownJob(job_id)
        return state

    async def become_known(self, job_id: str) -> None:
        """Wait a moment for a job whose transaction may just have been committed; raises UnknownJob."""
        until = time.monotonic() + EXPECTED_FOR
        while job_id in self.expected:
            try:
                await self.state(job_id)
            except UnknownJob:
                if time.monotonic() >= until:
                    raise
                await asyncio.sleep(EXPECTED_LOOK)
            else:
                return

    async def text(self, job_id: str) -> str:
        """Its text so far; raises UnknownJob."""
        reading = await (await self._open_events()).read(job_id, None)
        if reading is None:
            raise UnknownJob(job_id)
        return reading.text or ""

    async def cancel(self, job_id: str, queues: Iterable[str]) -> bool:
        """End it: first its log, so that nobody starts it any more, then whoever runs it; raises UnknownJob."""
        await self.state(job_id)
        events = await self._open_events()
        ended = Failed(
            attempt=0, at=self._clock.now(), reason="cancelled", error="JobCancelled", message="it was cancelled"
        )
        outcome = await events.append(job_id, Append(events=[ended]))
        if outcome.answer != "ok":
            return False
        for queue in queues:
            self._courier.call_off(queue, job_id)
        if self.on_cancel is not None:
            await self.on_cancel(job_id)
        return True

    async def end(self, job_id: str) -> JobState:
        """Wait for the end, however long it takes; raises UnknownJob."""
        await self.become_known(job_id)
        events = await self._open_events()
        woken = asyncio.Event()

        def wake(entries: Sequence[Entry]) -> None:
            # A stream of tokens is no reason to look; where the store does not say what is new, it may be the end.
            if not entries or entries[-1].kind in ENDS:
                woken.set()

        watch = await events.watch(job_id, wake)
        try:
            state, pause, seen_at = await self.state(job_id), 0.0, time.monotonic()
            while not state.closed:
                await self._woken_or_weary(woken, pause)
                woken.clear()
                # What is written in quick succession is looked at together.
                pause = BREATH
                try:
                    state, seen_at = await self.state(job_id), time.monotonic()
                except Unavailable as error:
                    # The job goes on without the store, and so does the wait for it.
                    log.warning("How job %s stands cannot be seen for now: %s", job_id, error)
                    seen_at = time.monotonic()
                except UnknownJob:
                    # A store that was emptied is written to again by who runs the job.
                    if time.monotonic() - seen_at >= GONE_AFTER:
                        raise
            return state
        finally:
            await watch.stop()

    async def _woken_or_weary(self, woken: asyncio.Event, pause: float) -> None:
        try:
            async with asyncio.timeout(LOOK_AGAIN_AFTER):
                await asyncio.sleep(pause)
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

    def headers(self, job: AnyJob) -> Headers:
        """What tells workers that events are written for a job."""
        # A service that answers on a queue of its own writes no events; whoever takes its answers does.
        return NO_HEADERS if job.definition.answers is not None else {TRACKED: self._habits.prefix}

    def _queued(self, job: AnyJob) -> Queued:
        tracer = self._sender.tracer
        carrier = NO_CARRIER if tracer is None else tracer.carrier()
        it = Introduction(task=job.definition.name, queue=job.definition.queue, key=job.lane or "")
        told = introduced(it, job.payload, self._habits.redact).members()
        return Queued(attempt=0, at=self._clock.now(), trace=carrier, **told)

    async def _keep_until_due(self, events: Events, job_id: str, due: float | None) -> None:
        now = self._clock.now()
        if due is not None and due > now:
            await events.keep(job_id, due - now + self._habits.ttl)

    async def _may_be_unsent(self, events: Events, job_id: str, queued: Queued) -> bool:
        """Whether a job that was noted before is to be sent now; then its log says that it waits."""
        state = await self.state(job_id)
        if not state.closed:
            # Whoever noted it may have died before it was sent.
            return state.status == "queued" and job_id not in self._sent
        reading = await events.read(job_id, Position(state.epoch, state.seq - 1))
        last = reading.entries[-1].event() if reading is not None and reading.entries else None
        if not isinstance(last, Failed) or last.reason != "lost":
            return False
        # It was not accepted, and whoever sends it tries again under the same id.
        await events.forget(job_id)
        await events.append(job_id, Append(events=[queued]))
        return True

    async def _note_unsent(self, events: Events, job_id: str, error: BaseException) -> None:
        told = Failed(attempt=0, at=self._clock.now(), reason="lost", error=type(error).__name__, message=str(error))
        try:
            state = await events.state(job_id)
            if state is None or state.status == "queued":
                # If it runs, then it was accepted after all, and only the broker's word was lost.
                await events.append(job_id, Append(events=[told]))
        except Unavailable as trouble:
            log.warning("Job %s was not sent, but is noted as waiting until its events expire: %s", job_id, trouble)


def failure_of(job_id: str, state: JobState) -> JobFailed:
    """The error of a job that has failed."""
    kind = _FAILURES.get(state.status, JobFailed)
    return kind(job_id, state.error or state.status, state.message, state.traceback)
