"""When schedules are due and what has fired, so that each tick fires once, whoever ticks."""

from collections.abc import Sequence
from typing import Protocol

from goatherd.model.schedule import (
    Decision,
    Declared,
    Firing,
    FiringEnd,
    ScheduleLook,
    ScheduleRule,
    ScheduleState,
)


class Schedules(Protocol):
    """Keeps the schedules of one app; every adapter passes `goatherd.testing.suites.SchedulesSuite`.

    Used from one event loop. Every method has a deadline and raises `Unavailable`, with the driver's exception as its
    cause. Time is the store's own, so that clocks of machines may differ. Everything may be repeated.

    There is no leader: everybody looks, works out what is to be done, and says so with the schedule's `rev`. Whatever
    changes a schedule or its firings makes that greater, so of all who decide by the same look one is heard.
    """

    async def declare(self, declared: Sequence[Declared], alive: float) -> None:
        """This process lives and has these schedules; said again before `alive` seconds are over.

        A rule is a version of its schedule. Of the versions that living processes have, the one counts that appeared
        last; one that was silent for its `alive` seconds and comes back has appeared anew. A schedule of which no
        version is alive is `gone`: it fires no more, and keeps its firings and its place in time. One whose rule has
        changed is due at once, with `next_at` None, so that its next tick is worked out.
        """

    async def look(self, names: Sequence[str], limit: int) -> ScheduleLook:
        """What there is to do of the schedules of these names, and then of those that send a job.

        In this order, so that thousands of the latter do not keep the former waiting; else what is due longest first.
        Paused ones are not due, but what they have fired is. A schedule is due when its `next_at` has come or is not
        known; one that waits for the end of a run is not.
        """

    async def decide(self, decisions: Sequence[Decision]) -> Sequence[bool]:
        """Put firings on record and set when the schedule is due next, all in one step; false for one whose `rev` is
        another by now: nothing of it was changed."""

    async def begun(self, ids: Sequence[str], *, ended: bool = False) -> None:
        """Their runs have begun, or they are done, if a job was all there was to send. Others changed nothing."""

    async def ended(self, ends: Sequence[FiringEnd]) -> bool:
        """Their runs have ended; true if something is to be done now.

        A firing that waits, the oldest of its schedule, is due then. A schedule whose next tick depends on the end has
        `next_at` None again. An end that is told twice, or of a run that is no firing, changes nothing; that of a run
        which was taken up again after its end changes only how and when it ended. Where runs must not overlap, what
        waits is due only when no other is open.
        """

    async def forget(self, older_than: float, limit: int) -> int:
        """Forget firings that are over for so many seconds; returns how many.

        The newest of each schedule is kept, and the newest that ended. Of a schedule that was set and taken back
        nothing is left in the end.
        """

    async def close(self) -> None:
        """Let go of the store. Idempotent."""


class ScheduleOperations(Protocol):
    """What people and programs ask of schedules; the adapter of `Schedules` satisfies it too."""

    async def list(self) -> Sequence[ScheduleState]:
        """All of them, by name."""

    async def history(self, name: str, limit: int) -> Sequence[Firing]:
        """Its firings, newest first."""

    async def set(self, name: str, rule: ScheduleRule, job: bytes | None) -> None:
        """Have a schedule that sends a job, whatever programs declare; one of that name is changed.

        Without a job it is a declared schedule with another rule. Due at once, with `next_at` None, if that is new.
        """

    async def remove(self, name: str) -> bool:
        """Take back what was set: one that programs declare is as they say again; false if nothing was set.

        One that no program ever declared is no schedule any more; what it has fired goes on.
        """

    async def pause(self, name: str) -> bool:
        """Let it fire no more for now; false if there is no such schedule. What has fired goes on."""

    async def resume(self, name: str) -> bool:
        """Let it fire again, from now on: ticks in the meantime are not made up for. `next_at` is None then.

        One that was not paused stays as it is. False if there is no such schedule.
        """

    async def trigger(self, name: str, id: str) -> Firing | None:
        """Fire it now, once, paused or not; None if there is no such schedule.

        Where runs must not overlap and one is worked on or waits, it waits. `id` is that of the new run; a firing of
        that id that exists is given as it is.
        """
