"""The attempts of a worker whose jobs are watched: what is written at their beginnings and their ends."""

import asyncio

import msgspec

from goatherd.engine.admission import Admitted
from goatherd.engine.emitter import Emitter
from goatherd.engine.emitters import Emitters
from goatherd.engine.results import encoded_result
from goatherd.model import event
from goatherd.model.dead_letter import Burial
from goatherd.model.ends import end_of
from goatherd.model.introduction import Introduction, introduced
from goatherd.model.message import LANE, TRACKED, Message
from goatherd.model.verdict import Again, Answered, Dead, Done, Dropped, HandedBack, Verdict


class Tracking:
    """Which jobs are watched, and what their watchers hear from this worker."""

    def __init__(self, emitters: Emitters, largest_result: int) -> None:
        self._emitters = emitters
        self._largest_result = largest_result
        #: By attempt and not by job: the broker may have given one to us twice.
        self._running: dict[Emitter, asyncio.Task[object]] = {}
        self._stopped: set[Emitter] = set()

    @property
    def mark(self) -> str:
        """What messages carry whose jobs are watched."""
        return self._emitters.prefix

    def concerns(self, message: Message) -> bool:
        """Whether somebody may watch it, and looks where we write."""
        return bool(message.headers) and message.headers.get(TRACKED) == self._emitters.prefix

    async def begin(self, message: Message, admitted: Admitted) -> Emitter | Dropped:
        """Note that an attempt starts; a job that has ended is not started again."""
        work = admitted.work
        told = None if self.concerns(message) else self._introduced(message, admitted)
        found = await self._emitters.begin(work.job_id, work.attempt, told)
        if not isinstance(found, Emitter):
            return Dropped(outcome=found, why="its events say that it has ended")
        attempt = asyncio.current_task()
        assert attempt is not None, "an attempt is a task"
        self._running[found] = attempt
        # Whoever ended the job elsewhere may have had no way to tell us.
        found.when_closed = lambda: self._stop(found)
        return found

    async def end(self, emitter: Emitter, verdict: Verdict, admitted: Admitted) -> Verdict:
        """Note how an attempt ended; the verdict is another one if its result cannot be told."""
        self._running.pop(emitter, None)
        self._stopped.discard(emitter)
        last: event.Event | None = None
        at, attempt = self._emitters.now(), emitter.attempt
        match verdict:
            case Done(lost=why) if why and not admitted.task.signature.may_give_nothing:
                last = event.Failed(attempt=attempt, at=at, reason="failed", error="ResultLost", message=why)
            case Done():
                told = encoded_result(verdict, admitted, at, self._largest_result)
                if isinstance(told, Dead):
                    return await self.end(emitter, told, admitted)
                last = event.Done(attempt=attempt, at=at, result=msgspec.Raw(told))
            case Dead(burial=burial):
                last = end_of(burial, at, attempt)
            case Again(delay=delay, why=why):
                last = event.Retrying(attempt=attempt, at=at, error=why, delay=delay)
            case HandedBack():
                last = event.Retrying(attempt=attempt, at=at, error="the worker was stopped", delay=0)
            case Answered(outcome="cancelled", why=why):
                last = event.Failed(attempt=attempt, at=at, reason="cancelled", error="JobCancelled", message=why)
        await self._emitters.end(emitter, last)
        return verdict

    async def died(self, job_id: str, burial: Burial) -> None:
        """A job is a dead letter that was not even tried."""
        await self._emitters.note(job_id, end_of(burial, self._emitters.now()))

    def stop(self, job_id: str) -> None:
        """Stop it, if it runs here: the job was cancelled or has ended otherwise."""
        for emitter in [each for each in self._running if each.job_id == job_id]:
            self._stop(emitter)

    def was_stopped(self, emitter: Emitter | None) -> bool:
        """Whether it was we who stopped it."""
        return emitter in self._stopped

    async def close(self, deadline: float) -> None:
        """Write what is left to be written."""
        await self._emitters.close(deadline)

    def _introduced(self, message: Message, admitted: Admitted) -> Introduction:
        """What a job is whose sender has noted nothing."""
        task, lane = admitted.task, message.headers.get(LANE, "")
        job = Introduction(task=task.name, queue=message.queue or task.queue, key=str(lane))
        return introduced(job, admitted.work.payload, self._emitters.redact)

    def _stop(self, emitter: Emitter) -> None:
        attempt = self._running.pop(emitter, None)
        if attempt is not None:
            self._stopped.add(emitter)
            attempt.cancel()
