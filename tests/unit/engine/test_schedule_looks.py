"""What metrics tell of a schedule of which not every tick comes to something."""

from collections.abc import Sequence
from typing import cast

from goatherd.engine.schedule_looks import NEWS, ScheduleLooks
from goatherd.model.schedule import Firing, FiringState, Rate, ScheduleRule, ScheduleState
from goatherd.model.shared_readings import ScheduleReading
from goatherd.ports.schedules import ScheduleOperations
from tests.unit.engine.stage import HandClock


class Book:
    """A schedule with its firings; satisfies what is asked of `ScheduleOperations`."""

    def __init__(self) -> None:
        self.clock = HandClock()
        #: Oldest first.
        self.firings: list[Firing] = []
        self.lookups = 0
        self.looks = ScheduleLooks(self._opened, self.clock)

    def fire(self, state: FiringState, missed: int = 0) -> float:
        """A tick, now; gives when that is."""
        self.clock.advance(60)
        now = self.clock.now()
        ended = now if state in ("done", "failed") else None
        firing = Firing(
            schedule="sweep", tick=now, id="", state=state, missed=missed, fired=now, begun=ended, ended=ended
        )
        self.firings.append(firing)
        return now

    async def read(self) -> ScheduleReading:
        """What metrics tell of it now."""
        [reading] = (await self.looks.look())["schedules"]
        return cast(ScheduleReading, reading)

    async def list(self) -> Sequence[ScheduleState]:
        ends = [firing for firing in self.firings if firing.ended is not None]
        return [
            ScheduleState(
                name="sweep", rule=ScheduleRule(timing=Rate(60.0)), origin="code", paused=False,
                next_at=self.clock.now() - 30.0, open=0, waiting=0, last=self.firings[-1] if self.firings else None,
                last_end=ends[-1] if ends else None,
            )
        ]  # fmt: skip

    async def history(self, _name: str, limit: int) -> Sequence[Firing]:
        self.lookups += 1
        return self.firings[::-1][:limit]

    async def _opened(self) -> ScheduleOperations:
        return cast(ScheduleOperations, self)


async def test_a_tick_of_which_nothing_came_is_no_run() -> None:
    book = Book()
    assert (await book.read()).last_fired is None
    ran = book.fire("open")
    assert (await book.read()).last_fired == ran
    book.fire("skipped")
    assert (await book.read()).last_fired == ran
    again = book.fire("done")
    book.fire("skipped")
    # The run was over before anybody looked.
    assert (await book.read()).last_fired == again
    assert (await book.read()).last_success == again


async def test_whoever_begins_later_finds_it_in_the_history() -> None:
    book = Book()
    ran = book.fire("done")
    book.fire("failed")
    fired = book.fire("failed")
    book.fire("missed", missed=2)
    told = await book.read()
    assert (told.last_success, told.last_fired, told.failed) == (ran, fired, True)


async def test_what_others_missed_is_told_for_a_while() -> None:
    book = Book()
    book.fire("missed", missed=58)
    book.fire("due", missed=1)
    assert ((await book.read()).missed, (await book.read()).late) == (60, 30.0)
    book.clock.advance(NEWS)
    assert (await book.read()).missed == 0
    # What comes from now on is counted by whoever puts it on record.
    book.fire("missed")
    book.fire("due")
    assert (await book.read()).missed == 0


async def test_a_schedule_that_is_well_is_looked_up_once() -> None:
    book = Book()
    for _ in range(5):
        book.fire("done")
        await book.read()
    assert book.lookups == 1
