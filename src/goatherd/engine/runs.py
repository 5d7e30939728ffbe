"""Runs of pipelines: begun, looked at, cancelled and taken up again, in any process that knows their ids."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import Protocol

import msgspec

from goatherd.engine.conductor import Conductor
from goatherd.engine.dispatch import Dispatch
from goatherd.engine.enqueue import current_trace
from goatherd.engine.means import Means
from goatherd.engine.run_entry import RunEntry
from goatherd.engine.shared_answers import EventsOpener
from goatherd.engine.step_book import Place
from goatherd.engine.user_transaction import through
from goatherd.errors import Unavailable, UnknownJob, UnknownStep
from goatherd.model.admission import Append
from goatherd.model.event import Failed, Position, Queued, WorkKind
from goatherd.model.ids import new_id
from goatherd.model.introduction import Introduction, introduced
from goatherd.model.job import JobOptions
from goatherd.model.job_state import JobState
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.run_record import NewRun, RunSummary, UnitKey
from goatherd.model.step_wire import StepNote
from goatherd.model.trace_context import NO_CARRIER, Carrier, joined, parted
from goatherd.ports.events import Events
from goatherd.ports.steps import RunOperations, Steps

#: Seconds between two looks at a run of which nobody tells any more.
LOOK_EVERY = 1.0
#: Seconds that events have to be noted in before a run is begun unseen, if it may be.
UNSEEN_AFTER = 2.0
#: Seconds for which the events of a run that waits are kept.
WAITS_FOR = 86_400.0

log = logging.getLogger("goatherd.pipelines")


class RunRecords(Protocol):
    """The records as this process has them open, and who tells workers of what is ready there."""

    @property
    def steps(self) -> Steps:
        """For the work."""

    @property
    def operations(self) -> RunOperations:
        """For people."""

    @property
    def conductor(self) -> Conductor:
        """To be nudged."""


class Runs:
    """The runs of one app, as one process sees them."""

    def __init__(
        self,
        open_records: Callable[[], Awaitable[RunRecords]],
        open_events: EventsOpener,
        means: Means,
        dispatch: Dispatch,
        redact: Collection[str] = (),
    ) -> None:
        self._open_records = open_records
        self._dispatch = dispatch
        self._open_events = open_events
        self._clock = means.clock
        self._courier = means.courier
        self._tracer = means.tracer
        self._redact = redact

    async def start(self, pipeline: PipelineDefinition, payload: bytes, options: JobOptions) -> str:
        """Begin a run; on record when this returns its id. A second run of that id is not begun."""
        if self._tracer is None:
            return await self._start(pipeline, payload, options)
        options = options if options.id is not None else msgspec.structs.replace(options, id=new_id())
        with self._tracer.sending("start", pipeline.name, "", [options.id or ""]):
            return await self._start(pipeline, payload, options)

    async def _start(self, pipeline: PipelineDefinition, payload: bytes, options: JobOptions) -> str:
        run = self.planned(pipeline, payload, options)
        if self._dispatch.waits(options):
            return await through(options.within, (await self.entry(run)).begin(run))
        await self.begin(run)
        return run.id

    async def entry(self, run: NewRun) -> RunEntry:
        """Open the way into a user's transaction for a run that is about to be begun there."""
        records, outbox = await self._open_records(), await self._dispatch.expect(run.id)
        until = self._clock.now() + run.delay + WAITS_FOR
        return RunEntry(steps=records.steps, outbox=outbox, until=until)

    def planned(self, pipeline: PipelineDefinition, payload: bytes, options: JobOptions) -> NewRun:
        """A run that is not begun yet."""
        now = self._clock.now()
        run_id = options.id or new_id()
        due = options.due(now)
        return NewRun(
            id=run_id,
            pipeline=pipeline.name,
            input=payload,
            trace_id=joined(current_trace.get() or run_id, self._carrier()),
            priority=options.priority or 0,
            delay=0.0 if due is None else max(0.0, due - now),
            steps=pipeline.plan,
        )

    async def begin(self, run: NewRun, *, even_unseen: bool = False) -> bool:
        """Record a run and see that workers are told; false if its id is on record already.

        With `even_unseen` it is begun also while its events cannot be kept: nobody has asked to watch it.
        """
        records = await self._open_records()
        try:
            # Where nobody may be watching, it does not wait long for events that do not answer.
            async with asyncio.timeout(UNSEEN_AFTER if even_unseen else None):
                events = await self._open_events()
                queued = await self._note_queued(events, run, "tick" if even_unseen else "run")
        except (Unavailable, TimeoutError) as error:
            if not even_unseen:
                raise
            told = str(error) or f"they do not answer within {UNSEEN_AFTER:g} s"
            log.warning("Run %s is begun, but those who watch it see nothing of that: %s", run.id, told)
            [new] = await records.steps.begin([run])
            records.conductor.nudge()
            return new
        begun, kept = await asyncio.gather(
            records.steps.begin([run]), events.keep(run.id, run.delay + WAITS_FOR), return_exceptions=True
        )
        if isinstance(kept, BaseException):
            log.warning("Run %s may be unknown to those who watch it before it ends: %s", run.id, kept)
        if isinstance(begun, BaseException):
            if isinstance(begun, Unavailable):
                await self._note_unsent(run.id, begun)
            raise begun
        [new] = begun
        if not new and queued:
            # It was begun long ago, and its events are gone: what is on record tells how it stands.
            await events.forget(run.id)
        if new and not queued:
            # An earlier run of that id is forgotten, but perhaps not its events.
            await self._reopen(records, [run.id])
        records.conductor.nudge()
        return new

    async def adopt(self, place: Place, note: StepNote, carrier: Carrier = NO_CARRIER) -> bool:
        """Begin a run that a message of somebody else asks for; false if its id is on record already."""
        run = NewRun(
            id=note.task_id,
            pipeline=place.pipeline.name,
            input=bytes(note.payload),
            trace_id=joined(note.trace_id or note.task_id, carrier),
            steps=place.pipeline.plan,
        )
        begun = await self.begin(run)
        if begun:
            log.info("Run %s of %s was begun by a message of somebody else", run.id, place.pipeline.name)
        return begun

    async def knows(self, run: str) -> RunSummary | None:
        """How a run stands; None if it is not on record."""
        look = await (await self._open_records()).operations.look(run)
        return None if look is None else look.summary

    async def standing(self, run: str, pipeline: PipelineDefinition | None) -> JobState:
        """How a run stands by the records alone, for one whose events are gone; raises UnknownJob."""
        records = await self._open_records()
        look = None if pipeline is None else await records.operations.look(run)
        if look is None:
            raise UnknownJob(run)
        summary, trouble = look.summary, look.summary.trouble
        # The last step by the records: the run may be of another version of the program.
        [result] = await records.steps.results([(run, look.steps[-1].name)]) if summary.state == "done" else [None]
        return JobState(
            epoch="",
            seq=0,
            status=summary.state,
            result=result,
            error="" if trouble is None else trouble.error_type,
            message="" if trouble is None else trouble.message,
            traceback="" if trouble is None else trouble.traceback,
            closed=summary.state != "running",
        )

    async def end(self, run: str, pipeline: PipelineDefinition | None) -> JobState:
        """Wait for the end of a run whose events are gone; raises UnknownJob."""
        while True:
            state = await self.standing(run, pipeline)
            if state.closed:
                return state
            await asyncio.sleep(LOOK_EVERY)

    async def cancel(self, run: str, queues: Iterable[str] = ()) -> bool:
        """End it: nothing of it is started any more, and what runs is stopped; raises UnknownJob."""
        records = await self._open_records()
        if not await records.operations.cancel(run):
            if await self.knows(run) is None:
                raise UnknownJob(run)
            return False
        for queue in queues:
            self._courier.call_off(queue, run)
        records.conductor.see_to_ends()
        return True

    async def retry(self, run: str, steps: Sequence[str] | None = None) -> int:
        """Try again what failed or waits for somebody to stand in; returns how many units. Raises UnknownJob."""
        records = await self._open_records()
        if await self.knows(run) is None:
            raise UnknownJob(run)
        count = await records.operations.retry(run, steps)
        await self._reopen(records, [run])
        return count

    async def resume_from(self, pipeline: PipelineDefinition, run: str, step: str) -> None:
        """Do a step and all after it again; raises UnknownJob or UnknownStep."""
        if step not in pipeline.steps:
            raise UnknownStep(pipeline.name, step, list(pipeline.steps))
        records = await self._open_records()
        if not await records.operations.resume_from(run, pipeline.from_here(step)):
            raise UnknownJob(run)
        await self._reopen(records, [run])

    async def requeue(self, pipelines: Sequence[str], step: str | None, limit: int) -> Sequence[UnitKey]:
        """Try again units that failed or wait for somebody to stand in, of any run; oldest runs first."""
        records = await self._open_records()
        keys = await records.operations.requeue(pipelines, step, limit)
        await self._reopen(records, list(dict.fromkeys(key.run for key in keys)))
        return keys

    async def _reopen(self, records: RunRecords, runs: Sequence[str]) -> None:
        """A run that had ended goes on, and those who watch it can."""
        events = await self._open_events()
        for run in runs:
            state = await events.state(run)
            if state is None or not state.closed or not await self._goes_on(run):
                continue
            await events.forget(run)
            # What it is was told when it began.
            await events.append(run, Append(events=[Queued(attempt=0, at=self._clock.now())]))
            await events.keep(run, WAITS_FOR)
            if not await self._goes_on(run):
                # It has ended in the meantime, and perhaps that was told before: what is on record tells it.
                await events.forget(run)
        records.conductor.nudge()

    async def _goes_on(self, run: str) -> bool:
        summary = await self.knows(run)
        return summary is not None and summary.state == "running"

    def _carrier(self) -> Carrier:
        return NO_CARRIER if self._tracer is None else self._tracer.carrier()

    async def _note_queued(self, events: Events, run: NewRun, what: WorkKind) -> bool:
        """Note that a run waits; false if that was noted before."""
        _, carrier = parted(run.trace_id)
        told = introduced(Introduction(task=run.pipeline, what=what), run.input, self._redact).members()
        queued = Append(events=[Queued(attempt=0, at=self._clock.now(), trace=carrier, **told)])
        outcome = await events.append(run.id, queued)
        if outcome.answer == "closed" and await self._was_lost(events, run.id):
            # It was not begun, as far as was known, and whoever did not begin it tries again under the same id.
            await events.forget(run.id)
            outcome = await events.append(run.id, queued)
        return outcome.answer == "ok"

    async def _was_lost(self, events: Events, run: str) -> bool:
        state = await events.state(run)
        if state is None or not state.closed:
            return False
        reading = await events.read(run, Position(state.epoch, state.seq - 1))
        last = reading.entries[-1].event() if reading is not None and reading.entries else None
        return isinstance(last, Failed) and last.reason == "lost"

    async def _note_unsent(self, run: str, error: Unavailable) -> None:
        told = Failed(attempt=0, at=self._clock.now(), reason="lost", error=type(error).__name__, message=str(error))
        try:
            await (await self._open_events()).append(run, Append(events=[told]))
        except Unavailable as trouble:
            log.warning("Run %s was not begun, but is noted as waiting until its events expire: %s", run, trouble)
