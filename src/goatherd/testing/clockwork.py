"""What begins by itself in a test: it fires when the clock is moved, and at no other time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from goatherd.model.message import Message
from goatherd.model.run_record import UnitKey
from goatherd.model.schedule import Firing
from goatherd.scheduling import make_flushers, make_ticker

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.engine.beginnings import Begin
    from goatherd.engine.flushes import Flusher
    from goatherd.engine.ticker import Ticker
    from goatherd.ports.clock import Timer
    from goatherd.testing.clock import FakeClock
    from goatherd.testing.records import Records


class Clockwork:
    """The scheduler of a test, without a loop of its own."""

    def __init__(self, app: Goatherd, clock: FakeClock, records: Records) -> None:
        self._app = app
        self._clock = clock
        self._records = records
        self._ticker: Ticker | None = None
        self._flushers: list[Flusher] = []
        self._alarm: Timer | None = None
        self._fired = False

    async def wind_up(self) -> None:
        """Begin the rounds of tallies, before anything is added; raises DefinitionError."""
        self._flushers = make_flushers(self._app, self._app.session())
        for flusher in self._flushers:
            flusher.handing = self._note_totals
        await self.keep_time()

    async def keep_time(self) -> None:
        """Begin the round of each tally that is behind, which are those in which there is nothing."""
        for flusher in self._flushers:
            await flusher.flush()

    async def fire(self) -> bool:
        """Fire all that is due; false if nothing was. From now on the clock stops where something will be."""
        self._fired = False
        moments = [await self._tick(), *[await self._flush(flusher) for flusher in self._flushers]]
        self._wake_in(min((due for due in moments if due is not None), default=None))
        return self._fired

    async def _tick(self) -> float | None:
        """Fire the schedules that are due; tells in how many seconds the next is."""
        if not self._app.ticks and not self._app.session().recurring.have_schedules:
            return None
        ticker = self._ticker = self._ticker or await self._begin()
        await ticker.declare()
        while (due := await ticker.round()) == 0.0:
            continue
        return due

    async def _flush(self, flusher: Flusher) -> float | None:
        """Make jobs of totals that are due; tells in how many seconds there will be some, None if there are none."""
        due = await flusher.flush()
        # The clock need not stop for rounds in which there is nothing, of which a day has many.
        return due if await flusher.has_totals() else None

    def _note_totals(self, messages: Sequence[Message]) -> None:
        self._fired = True
        for message in messages:
            # Those that go to the broker are noted there.
            if self._records.task_of(message.id) is None:
                self._records.sent(message, self._app.tasks[message.task].definition, self._clock.now())

    async def _begin(self) -> Ticker:
        ticker = await make_ticker(self._app, self._app.session())
        ticker.beginnings.begin = self._noting(ticker.beginnings.begin)
        return ticker

    def _noting(self, begin: Begin) -> Begin:
        async def note_and_begin(firing: Firing) -> bool:
            self._fired = True
            if firing.job is None:
                unit = str(UnitKey(firing.id, self._app.ticks[firing.schedule].pipeline.last))
                self._records.fired(unit, firing.id, firing.schedule, self._clock.now())
            return await begin(firing)

        return note_and_begin

    def _wake_in(self, seconds: float | None) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        if seconds is not None:
            self._alarm = self._clock.call_at(self._clock.now() + seconds, lambda: None)
