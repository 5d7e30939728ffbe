"""The engine's attempts with a test looking on, and with the faults that it planned."""

import asyncio
from collections.abc import Callable

import msgspec

from goatherd.engine.admission import Admitted
from goatherd.engine.attempt import Attempts
from goatherd.engine.emitter import Emitter, Voice
from goatherd.engine.emitters import Emitters
from goatherd.engine.held_unit import HeldUnit
from goatherd.engine.processes import Child
from goatherd.engine.runner import Runner
from goatherd.model.event import Event
from goatherd.model.formats import Work
from goatherd.model.message import Delivery
from goatherd.model.task import TaskDefinition
from goatherd.model.verdict import Answered, Done, Verdict
from goatherd.testing.callers import Callers
from goatherd.testing.faults import Faults, Moment
from goatherd.testing.lane_life import LaneLife
from goatherd.testing.records import Records
from goatherd.testing.step_life import StepLife


class Onlooker:
    """What a test sees of one worker, and what it plans for it."""

    def __init__(self, records: Records, callers: Callers, faults: Faults, kill: Callable[[], None]) -> None:
        self.records = records
        self.callers = callers
        self.faults = faults
        #: The lanes of the worker, and the steps, where there are any.
        self.lanes: LaneLife | None = None
        self.steps: StepLife | None = None
        self._kill = kill
        self.died = asyncio.Event()

    def let_die(self) -> None:
        """The worker is dead from this moment on."""
        self._kill()
        if self.lanes is not None:
            self.lanes.line.cut()
        if self.steps is not None:
            self.steps.line.cut()
        self.died.set()


class MortalRunner(Runner):
    """Runs tasks; some of them kill their worker."""

    onlooker: Onlooker

    async def run(
        self, admitted: Admitted, until: float | None, child: Child | None = None, emitter: Voice | None = None
    ) -> object:
        await self._survive(admitted.task, "start")
        # Only steps know their run.
        lender = self.onlooker.steps if admitted.work.run_id else self.onlooker.lanes
        if lender is not None and self.onlooker.faults.loses_lease(admitted.task.name):
            # Code in a process of its own is killed with its attempt, so it never goes on.
            late = None if child is not None else lambda: Runner.run(self, admitted, until, None, emitter)
            await lender.lose(admitted, late)
        result = await super().run(admitted, until, child, emitter)
        self.onlooker.records.returned(admitted.work.job_id, result)
        await self._survive(admitted.task, "end")
        return result

    async def _survive(self, task: TaskDefinition, moment: Moment) -> None:
        if self.onlooker.faults.crashes(task.name, moment):
            self.onlooker.let_die()
            # Dead code does nothing more; it is swept away with its worker.
            await asyncio.get_running_loop().create_future()


class MortalEmitters(Emitters):
    """Write attempts down for as long as their worker lives."""

    onlooker: Onlooker

    async def end(self, emitter: Emitter, last: Event | None) -> None:
        if self.onlooker.died.is_set():
            # The dead have no last words.
            self._running.discard(emitter)
            emitter.cancel()
            return
        await super().end(emitter, last)


class WatchedAttempts(Attempts):
    """Makes attempts and notes what becomes of them."""

    onlooker: Onlooker

    async def make(self, delivery: Delivery, admitted: Admitted) -> None:
        self.onlooker.records.started(admitted.work.job_id)
        await super().make(delivery, admitted)

    async def _carry_out(
        self, delivery: Delivery, verdict: Verdict, work: Work | None, admitted: Admitted | None = None
    ) -> None:
        if self.onlooker.died.is_set():
            return
        lanes, steps = self.onlooker.lanes, self.onlooker.steps
        if steps is not None and isinstance(delivery.tag, HeldUnit):
            self.onlooker.records.ended(
                delivery.message.id if work is None else work.job_id, verdict, self._clock.now()
            )
            await super()._carry_out(delivery, verdict, work, admitted)
            if _is_done(verdict) and self.onlooker.faults.comes_again(delivery.message.task):
                await self._broker.publish([steps.told_again(delivery)])
            return
        if lanes is not None and lanes.is_void(delivery):
            await super()._carry_out(delivery, verdict, work, admitted)
            return
        job = work.job_id if work is not None else delivery.message.id
        self.onlooker.records.ended(job, verdict, self._clock.now())
        if isinstance(verdict, Answered) and verdict.body is not None:
            self.onlooker.callers.given(delivery.message.correlation_id or delivery.message.id)
        task = self.onlooker.records.task_of(job)
        again = _is_done(verdict) and task is not None and self.onlooker.faults.comes_again(task)
        # A lane gives its head again, in its place; a broker may deliver a job again at any time.
        in_its_place = again and lanes is not None and lanes.repeat(delivery)
        await super()._carry_out(delivery, verdict, work, admitted)
        if again and not in_its_place:
            await self._broker.publish([msgspec.structs.replace(delivery.message, due=None)])


def _is_done(verdict: Verdict) -> bool:
    return isinstance(verdict, Done) or (isinstance(verdict, Answered) and verdict.outcome == "done")
