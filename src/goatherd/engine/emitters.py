"""All attempts of a worker that are written down: begun, kept alive, brought to their ends."""

import asyncio
import logging
import os
import socket
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from goatherd.engine.emitter import Emitter
from goatherd.engine.shared_answers import EventsOpener
from goatherd.errors import Unavailable
from goatherd.model.admission import Append, Outcome
from goatherd.model.event import Done, Event, Failed, Queued, Retrying, Started
from goatherd.model.introduction import Introduction
from goatherd.ports.clock import Clock
from goatherd.ports.telemetry import Telemetry

#: Seconds that an attempt waits for its first and for its last word to be written; the work goes on without it.
FIRST_WORD, LAST_WORD = 2.0, 5.0
#: Seconds that the first of all attempts waits, while the driver is loaded and the store opened: what it would do
#: again without need may be dear.
OPENING = 15.0
#: Seconds between two tries while the store is away.
AGAIN_AFTER = 0.5
#: Attempts whose last words may wait for the store after their jobs are settled.
MOST_LEFT = 10_000

log = logging.getLogger("goatherd.events")

#: How a job had ended before this delivery of it, so that it is not done again.
Ended: TypeAlias = Literal["done", "cancelled"]
#: What follows when a log does not take an attempt: it has ended, begins anew, or belongs to a later attempt.
Sight: TypeAlias = Ended | Literal["anew", "not ours"]


@dataclass(frozen=True, kw_only=True)
class Habits:
    """How events are written: under which name, tokens together for how long, kept for how long."""

    prefix: str
    window: float
    ttl: float
    #: Names of arguments that are not shown.
    redact: Collection[str] = ()


class Emitters:
    """Satisfies `Outlet` for the attempts of one worker."""

    def __init__(self, open_events: EventsOpener, clock: Clock, telemetry: Telemetry, habits: Habits) -> None:
        self._open_events = open_events
        self._clock = clock
        self._telemetry = telemetry
        self._habits = habits
        self._worker = f"{socket.gethostname()}:{os.getpid()}"
        self._running: set[Emitter] = set()
        #: Whose jobs are settled, while their last words wait for the store.
        self._left: dict[Emitter, asyncio.Task[None]] = {}
        self._keeping: asyncio.Task[None] | None = None
        self._probing = asyncio.Lock()
        self.away = False
        #: Whether the store has been heard of, well or not.
        self._met = False
        self.window = habits.window

    @property
    def prefix(self) -> str:
        """Whose jobs are written down here."""
        return self._habits.prefix

    # --- an attempt ---------------------------------------------------------------------------------

    @property
    def redact(self) -> Collection[str]:
        """Names of arguments that are not shown."""
        return self._habits.redact

    async def begin(self, job_id: str, attempt: int, job: Introduction | None = None) -> Emitter | Ended:
        """Note that an attempt starts; or how the job has ended already.

        `job` says what it is, if nobody has told that before.
        """
        emitter = self._make(job_id, attempt, job)
        if not await self._first_word(emitter) and emitter.over is not None:
            seen = await self._look(job_id)
            if seen in ("done", "cancelled"):
                return seen
            if seen == "anew":
                emitter = self._make(job_id, attempt, job)
                await self._first_word(emitter)
        self._running.add(emitter)
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep(), name="goatherd keeps events of running jobs")
        return emitter

    async def end(self, emitter: Emitter, last: Event | None) -> None:
        """Bring it to its end; when the store takes too long, it is written later."""
        self._running.discard(emitter)
        emitter.end(last)
        finishing = asyncio.create_task(self._finish(emitter, last), name=f"last events of {emitter.job_id}")
        finishing.add_done_callback(_tell_trouble)
        try:
            async with asyncio.timeout(LAST_WORD):
                await emitter.settled()
                if not self.away:
                    await asyncio.wait([finishing])
        except TimeoutError:
            # It is written later, and nobody waits for that.
            log.debug("The last events of job %s are still on their way", emitter.job_id)
        finally:
            if not finishing.done():
                self._leave(emitter, finishing)

    async def note(self, job_id: str, event: Event) -> None:
        """The platform's word about a whole job, as well as can be in a moment."""
        try:
            async with asyncio.timeout(self._patience):
                await (await self._open_events()).append(job_id, Append(events=[event]))
        except (TimeoutError, Unavailable) as trouble:
            self.lost(1, "store away")
            log.warning("What became of job %s could not be noted: %s", job_id, trouble)

    async def close(self, deadline: float) -> None:
        """Write what is left, within so many seconds."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
            self._keeping = None
        if self._left:
            await asyncio.wait(self._left.values(), timeout=deadline)
        lost = 0
        for emitter, finishing in list(self._left.items()):
            finishing.cancel()
            lost += emitter.cancel()
        if lost:
            self.lost(lost, "store away")
            log.error("%d events, ends of jobs among them, could not be written before this worker ended", lost)

    # --- the way to the store -----------------------------------------------------------------------

    def now(self) -> float:
        return self._clock.now()

    async def append(self, job_id: str, append: Append) -> Outcome:
        """While the store is away one asks it at a time, and the others wait for what comes of it."""
        if not self.away:
            return await self._append(job_id, append)
        async with self._probing:
            if self.away:
                await asyncio.sleep(AGAIN_AFTER)
            return await self._append(job_id, append)

    def lost(self, count: int, why: str) -> None:
        self._telemetry.events_lost(count, why)

    async def _append(self, job_id: str, append: Append) -> Outcome:
        try:
            outcome = await (await self._open_events()).append(job_id, append)
        except Unavailable as error:
            if not self.away:
                log.warning("Events cannot be written for now; jobs go on: %s", error)
            self.away = True
            raise
        finally:
            self._met = True
        if self.away:
            self.away = False
            log.warning("Events can be written again")
        return outcome

    @property
    def _patience(self) -> float:
        return FIRST_WORD if self._met else OPENING

    # --- within -------------------------------------------------------------------------------------

    def _make(self, job_id: str, attempt: int, job: Introduction | None) -> Emitter:
        emitter = Emitter(job_id, attempt, self)
        told = {} if job is None else job.members()
        emitter.tell(Started(attempt=attempt, at=self.now(), worker=self._worker, **told))
        return emitter

    async def _first_word(self, emitter: Emitter) -> bool:
        try:
            async with asyncio.timeout(self._patience):
                return await emitter.settled()
        except TimeoutError:
            return False

    async def _look(self, job_id: str) -> Sight:
        try:
            async with asyncio.timeout(FIRST_WORD):
                events = await self._open_events()
                state = await events.state(job_id)
                if state is None or not state.closed:
                    return "not ours"
                if state.status in ("done", "cancelled"):
                    return state.status
                # It had failed, and somebody put it back to work.
                await events.forget(job_id)
                await events.append(job_id, Append(events=[Queued(attempt=0, at=self.now())]))
                return "anew"
        except (TimeoutError, Unavailable) as trouble:
            log.warning("How job %s stands cannot be seen, so it is done: %s", job_id, trouble)
            return "not ours"

    async def _finish(self, emitter: Emitter, last: Event | None) -> None:
        await emitter.written()
        over = emitter.over
        if over is not None and over.answer == "fenced" and isinstance(last, Done | Failed):
            # A later attempt has begun, but this one has come to the end of the job, which counts.
            await self.note(emitter.job_id, msgspec.structs.replace(last, attempt=0))
        elif over is None and isinstance(last, Retrying) and last.delay:
            await self._keep_for(emitter.job_id, last.delay + self._habits.ttl)

    async def _keep_for(self, job_id: str, seconds: float) -> bool:
        try:
            await (await self._open_events()).keep(job_id, seconds)
        except Unavailable as error:
            log.warning("The events of job %s cannot be kept for longer: %s", job_id, error)
            return False
        return True

    def _leave(self, emitter: Emitter, finishing: "asyncio.Task[None]") -> None:
        if len(self._left) >= MOST_LEFT:
            finishing.cancel()
            self.lost(emitter.cancel(), "store away")
            return
        self._left[emitter] = finishing
        finishing.add_done_callback(lambda _: self._left.pop(emitter, None))

    async def _keep(self) -> None:
        """Jobs that are at work without a word are kept as long as they are."""
        while True:
            await asyncio.sleep(self._habits.ttl / 3)
            for emitter in list(self._running):
                if not await self._keep_for(emitter.job_id, self._habits.ttl):
                    break


def _tell_trouble(finishing: "asyncio.Task[None]") -> None:
    if not finishing.cancelled() and (trouble := finishing.exception()) is not None:
        log.error("%s are not written; this is a fault of Goatherd", finishing.get_name(), exc_info=trouble)
