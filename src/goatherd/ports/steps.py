"""The record path: what is done of each run, so that it is done once, whatever is delivered twice."""

from collections.abc import Sequence
from typing import Protocol

from goatherd.model.run_record import (
    EndedRun,
    NewRun,
    PlannedStep,
    RunFilter,
    RunLetter,
    RunLook,
    RunSummary,
    Turn,
    UnitExchange,
    UnitExchanged,
    UnitHold,
    UnitKey,
)
from goatherd.model.statement import Statement

#: Asked for as a step, it is the run's input.
INPUT = ""


class RunEnds(Protocol):
    """What is left to be done for runs that have ended; part of `Steps`."""

    async def ended(self, limit: int) -> Sequence[EndedRun]:
        """Runs that have ended since and were not named to `told`."""

    async def told(self, runs: Sequence[EndedRun]) -> None:
        """Those who watch these runs have been told of this end of theirs."""

    async def letters(self, limit: int) -> Sequence[RunLetter]:
        """What failed units left for the dead letters; the same until it is removed."""

    async def remove_letters(self, ids: Sequence[str]) -> None:
        """They are where they belong."""

    async def forget(self, older_than: float, limit: int) -> int:
        """Forget runs that ended more than so many seconds ago, and were told of; returns how many."""


class Steps(RunEnds, Protocol):
    """Keeps the runs of one app; every adapter passes `goatherd.testing.suites.StepsSuite`.

    Used from one event loop. Every method has a deadline and raises `Unavailable`, with the driver's exception as its
    cause, when the store is away, full or read-only. Time is the store's own.

    The invariants, whatever dies and whoever comes late:

    1. A unit is claimed by one worker at a time; what changes a claimed unit shows its newest token, and what shows
       another changes nothing. Tokens of a unit only grow, and are greater than the store's clock in microseconds was
       when the run began.
    2. A unit that is done stays so, with its first result, until somebody asks for it to be done again.
    3. A step is ready once, when all steps before it are done or skipped; a head is done once, when all of its items
       are done, left out, or stood in for; a run ends once.
    4. At most `at_once` parcels of a head are ready or running.
    5. Every unit that is ready is given by `take`, again and again, until it is claimed.
    6. When faults stop and all that is taken is claimed and done, every run ends.

    All that a step's end brings about (steps that are ready now, the end of its head, the end of the run, letters) is
    on record in the same moment as that end. The cost of every call follows what it moves and what is due, not the
    number of runs.
    """

    async def begin(self, runs: Sequence[NewRun]) -> Sequence[bool]:
        """Record new runs; durable when it returns. False for one whose id is on record already: nothing changed.

        Steps after nothing but the input are ready when the run's delay is over, the others wait.
        """

    async def take(self, pipelines: Sequence[str], limit: int, again_after: float) -> Sequence[Turn]:
        """Ready units of these pipelines that workers should be told of now, longest overdue first.

        Whoever takes a unit has `again_after` seconds to tell of it; then, if it is still ready, it is given again,
        and each time after twice as long, up to an hour.
        """

    async def postpone(self, keys: Sequence[UnitKey], seconds: float) -> None:
        """They could not be told of, or need not be: give them again after so many seconds, if they are ready then.

        Having been taken this time does not count as a telling.
        """

    async def exchange(self, exchange: UnitExchange) -> UnitExchanged:
        """Settle what a worker had, decide about others, and claim units; all in one step.

        A unit whose lease ran out may be claimed, with one death more. A settlement that is repeated, because no
        answer came, is answered as before and changes nothing; a claim that is repeated under its exchange's number is
        given again, as far as the worker still has it. Settlements of a run that has failed or was cancelled count:
        what is done is done, and is there if the run is taken up again; but nothing more of it becomes ready to be
        taken. `Succeed` of a unit whose run was cancelled is answered with false.
        """

    async def beat(self, holds: Sequence[UnitHold], lease: float) -> Sequence[bool]:
        """Have these for `lease` seconds from now; false for what is not the worker's any more.

        That is so when another has it, and when its run was cancelled. One whose lease ran out, but which nobody else
        wanted, is the worker's still.
        """

    async def reap(self, limit: int) -> int:
        """Make units ready whose lease ran out, with one death more; returns how many. Late holders are fenced off."""

    async def results(self, wanted: Sequence[tuple[str, str]]) -> Sequence[bytes | None]:
        """Results by run and step, as JSON; None for what is not done. A head's is the list of its items' results.

        Items that were left out are not in the list. The step `INPUT` is the run's input.
        """

    def begin_statement(self, run: NewRun) -> Statement | None:
        """Records a run inside a transaction of the user's own; gives one row, which is true if it is new.

        None where that cannot be: the store is no database that a user could be connected to.
        """

    async def close(self) -> None:
        """Let go of everything. Idempotent."""


class RunOperations(Protocol):
    """What people ask of the records; their adapter satisfies it too."""

    async def find(self, wanted: RunFilter, limit: int) -> Sequence[RunSummary]:
        """Matching runs, newest first."""

    async def look(self, run: str) -> RunLook | None:
        """A run with its steps, in the order in which they were planned."""

    async def cancel(self, run: str) -> bool:
        """End it: nothing of it is started any more, and what runs is stopped; false if it had ended or is unknown."""

    async def retry(self, run: str, steps: Sequence[str] | None = None) -> int:
        """Try again what failed, or waits for somebody to stand in, in these steps (None: in all); how many units.

        Their counts begin anew. A run that had failed goes on, also with all that was left in it. So does one that was
        cancelled, if `steps` is None, and then 0 units may have failed. A run that goes on has no failed units, or it
        could not end: what failed in its other steps is tried again, too, and not counted.
        """

    async def resume_from(self, run: str, steps: Sequence[PlannedStep]) -> bool:
        """Forget what is on record of these steps and do them again; false if there is no such run or step.

        The caller names with a step all that come after it. Workers that have units of them are fenced off, and what
        was decided about them is void: a new round begins, with a number greater than that of the last one. A run that
        had ended goes on, as after `retry`.
        """

    async def requeue(self, pipelines: Sequence[str], step: str | None, limit: int) -> Sequence[UnitKey]:
        """Try again units that failed or wait for somebody to stand in, of runs that have not been cancelled.

        Oldest runs first, at most `limit`, of one step or all. Their runs go on, as after `retry`.
        """
