"""The steps of one worker in a test: what it has of them, how it loses it, and when nothing of them moves."""

import asyncio
from typing import Protocol, cast

from goatherd.engine.admission import Admitted
from goatherd.engine.held_unit import HeldUnit
from goatherd.engine.run_story import RunStory
from goatherd.engine.step_work import StepWork
from goatherd.model.ids import new_id
from goatherd.model.message import Delivery, Message
from goatherd.model.run_record import RunFilter, RunSummary, UnitHold
from goatherd.model.step_wire import envelope_of
from goatherd.ports.clock import Clock, Timer
from goatherd.testing.latecomers import Code, Latecomers
from goatherd.testing.step_lifeline import StepLifeline
from goatherd.wiring.records import OpenSteps

#: Runs that are looked at, to tell what moves; units that are taken from a dead worker in one step.
ENOUGH, ALL = 20, 10_000


class Foretelling(Protocol):
    """Records in a file, which a test has to itself, know more than the port asks for."""

    async def next_due(self) -> float | None:
        """Seconds until a unit is to be told of or a lease runs out; 0 if one is now, None if none will."""


class StepLife:
    """Lives as long as its worker."""

    def __init__(self, opened: OpenSteps, story: RunStory, clock: Clock) -> None:
        #: What the worker sees of the records.
        self.line = StepLifeline(opened.steps)
        self._opened = opened
        self._story = story
        self._clock = clock
        self._work: StepWork | None = None
        self._alarm: Timer | None = None
        self._latecomers = Latecomers()

    def begin(self, work: StepWork | None) -> None:
        """The worker takes units from now on, and steps are told of."""
        self._work = work
        self.line.resting = work is None

    # --- what a test plans ------------------------------------------------------------------------

    async def lose(self, admitted: Admitted, code: Code | None) -> None:
        """Let the lease of an attempt run out as its code begins: it is stopped here, and goes on later."""
        assert self._work is not None, "units come from here"
        if code is not None:
            self._latecomers.add(admitted.work.job_id, code)
        await self._end_leases([hold for hold in self.line.holds if _is_of(hold, admitted)])
        await self._work.source.beat()
        self._work.conductor.nudge()
        # The worker has noticed, and stops it here.
        await asyncio.get_running_loop().create_future()

    def told_again(self, delivery: Delivery) -> Message:
        """The message about a unit once more, as a broker may deliver it at any time."""
        assert isinstance(delivery.tag, HeldUnit), "only units have such messages"
        body = envelope_of(delivery.tag.claim, None, self._clock.now())
        message = delivery.message
        return Message(id=new_id(), queue=message.queue, body=body, task=message.task, priority=message.priority)

    # --- rest -------------------------------------------------------------------------------------

    async def at_rest(self) -> bool:
        """Whether all that is ready was told of, and nobody has any of it; then the clock knows what comes next."""
        if self._work is None:
            return True
        moves, conductor = self.line.moves, self._work.conductor
        # It tells of what is ready, of ends and of leases that ran out, without waiting for its next look.
        conductor.see_to_ends()
        await conductor.idle()
        await self._story.written()
        due = await self._next_due()
        if due == 0 or self.line.moves != moves or conductor.busy or not self._work.source.resting:
            return False
        self._set_alarm(due)
        return True

    async def moving(self) -> list[RunSummary]:
        """Runs that have not ended."""
        return list(await self._opened.operations.find(RunFilter(state="running"), ENOUGH))

    async def let_late_one_go(self) -> bool:
        """Let an attempt go on that has lost its lease; false if there is none."""
        return await self._latecomers.let_one_go()

    def stand_still(self) -> None:
        """The worker takes no more for now, nobody is told of steps, and nobody goes on."""
        self.begin(None)
        self._latecomers.forget()

    def rest(self) -> None:
        """Wait for nothing any more."""
        if self._alarm is not None:
            self._alarm.cancel()

    # --- death ------------------------------------------------------------------------------------

    @property
    def has_more_to_say(self) -> bool:
        """Whether something that the worker has settled, or steps that it tells of, are still on their way."""
        return self._work is not None and (self._work.source.untold > 0 or self._work.conductor.busy)

    async def bury(self) -> None:
        """The worker is gone: its leases run out, which is one death for each unit that it had."""
        await self._end_leases(list(self.line.holds))
        self.rest()

    # --- inside -----------------------------------------------------------------------------------

    async def _end_leases(self, holds: list[UnitHold]) -> None:
        if holds:
            await self._opened.steps.beat(holds, 0.0)
            await self._opened.steps.reap(ALL)

    async def _next_due(self) -> float | None:
        return await cast(Foretelling, self._opened.steps).next_due()

    def _set_alarm(self, due: float | None) -> None:
        """The clock stops at that moment, which is all."""
        self.rest()
        if due is not None:
            self._alarm = self._clock.call_at(self._clock.now() + due, lambda: None)


def _is_of(hold: UnitHold, admitted: Admitted) -> bool:
    ticket = admitted.ticket
    return ticket is not None and ticket.fence.token == hold.token and admitted.work.job_id == str(hold.key)
