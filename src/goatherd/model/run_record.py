"""What is on record of a pipeline's runs: their units of work, who has them, and what is done, in words for stores.

A run is a row, and so is each of its steps. A step that is done for each item of a list has a row for itself, its
head, and one for each parcel of items. Rows that can be worked on are units; a unit is known by its run, its step and
the number of its first item.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

#: The number that stands for a step as a whole, where others number its items.
WHOLE = -1

RunState: TypeAlias = Literal["running", "done", "failed", "cancelled"]

#: - `waiting`: steps before it are not done.
#: - `held`: as many of its run's parcels as may be are worked on; it is made ready when one of them is done.
#: - `ready`: a worker may claim it.
#: - `running`: somebody has it, under a lease.
#: - `spread`: the head of a step whose parcels are worked on.
#: - `done`, `skipped` (without a result of its own), `failed` (for good; its run has failed, too).
UnitState: TypeAlias = Literal["waiting", "held", "ready", "running", "spread", "done", "skipped", "failed"]

#: Whether the step's own function has its turn, or the one that stands in when it failed for good.
Phase: TypeAlias = Literal["do", "compensate"]


class UnitKey(msgspec.Struct, frozen=True, order=True):
    """What a unit is known by."""

    run: str
    step: str
    item: int = WHOLE

    def __str__(self) -> str:
        return f"{self.run}/{self.step}" if self.item == WHOLE else f"{self.run}/{self.step}/{self.item}"


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why a unit failed last."""

    error_type: str
    message: str
    traceback: str = ""
    #: How many attempts had failed by then; it is kept with the rest.
    attempts: int = 0


class PlannedStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a new run."""

    name: str
    #: The steps that must be done before; the run's input is none of them.
    after: tuple[str, ...] = ()


class NewRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it begins."""

    id: str
    pipeline: str
    #: JSON.
    input: bytes
    trace_id: str
    priority: int = 0
    #: Seconds from now before which no step starts.
    delay: float = 0.0
    steps: Sequence[PlannedStep]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A unit that workers should be told of, and all that it takes to tell."""

    key: UnitKey
    pipeline: str
    #: Items in the parcel; 0 for a step as a whole.
    size: int
    #: The items as JSON with commas between them; nothing for a step as a whole.
    content: bytes
    phase: Phase
    failures: int
    #: How often they were told of it before, since it became ready.
    tellings: int
    #: Set where the unit failed before.
    trouble: Trouble | None
    trace_id: str
    priority: int
    #: When the run began, in seconds since the epoch.
    created: float


class UnitClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A unit, given to one worker under a lease."""

    key: UnitKey
    pipeline: str
    #: Greater than that of everyone who had the unit before.
    token: int
    size: int
    content: bytes
    phase: Phase
    #: Failed attempts in this phase.
    failures: int
    #: How many leases of it ran out, in this phase.
    deaths: int
    trouble: Trouble | None
    trace_id: str
    priority: int
    #: When it became ready, in seconds since the epoch.
    accepted: float
    created: float

    @property
    def hold(self) -> "UnitHold":
        """What its worker shows."""
        return UnitHold(key=self.key, token=self.token)


class UnitHold(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker shows to have its way with a unit."""

    key: UnitKey
    token: int


class Onward(msgspec.Struct, frozen=True, kw_only=True):
    """What follows a step, once all of it is done."""

    #: The steps that wait for it.
    then: tuple[str, ...] = ()
    #: Whether the run is done with it.
    last: bool = False


class Succeed(msgspec.Struct, frozen=True, kw_only=True):
    """It is done. The result is JSON; that of a parcel is the results of its items with commas between them."""

    hold: UnitHold
    result: bytes
    onward: Onward


class LeaveOut(msgspec.Struct, frozen=True, kw_only=True):
    """It failed for good, and the list goes on without its items."""

    hold: UnitHold
    trouble: Trouble
    onward: Onward


class AgainLater(msgspec.Struct, frozen=True, kw_only=True):
    """It is to be claimed again after a while; its deaths are forgotten."""

    hold: UnitHold
    delay: float
    #: Failed attempts so far.
    failures: int
    trouble: Trouble | None = None


class Separate(msgspec.Struct, frozen=True, kw_only=True):
    """A parcel failed: its items are tried one by one, each in a parcel of its own, numbered on from its first."""

    hold: UnitHold
    contents: Sequence[bytes]
    trouble: Trouble


class StandIn(msgspec.Struct, frozen=True, kw_only=True):
    """It failed for good: somebody is to say what stands in for its result. It begins the phase `compensate`."""

    hold: UnitHold
    #: What the stand-in is told of.
    trouble: Trouble


class FailRun(msgspec.Struct, frozen=True, kw_only=True):
    """It failed for good, and so does its run. Nothing else of the run is started; what runs may end.

    `letter` is kept, in the same step, until somebody has brought it to the dead letters.
    """

    hold: UnitHold
    trouble: Trouble
    letter: bytes


class LetGo(msgspec.Struct, frozen=True, kw_only=True):
    """Let others have it now, as if it had never been claimed."""

    hold: UnitHold


UnitSettlement: TypeAlias = Succeed | LeaveOut | AgainLater | Separate | StandIn | FailRun | LetGo


class Parcel(msgspec.Struct, frozen=True, kw_only=True):
    """Items of a list that are worked on together."""

    item: int
    size: int
    content: bytes


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """The items of a step are known; `at_once` parcels of them may be worked on at a time, None means all."""

    key: UnitKey
    parcels: Sequence[Parcel]
    at_once: int | None
    onward: Onward


class PassOver(msgspec.Struct, frozen=True, kw_only=True):
    """A step is not to be done in this run: its result is null."""

    key: UnitKey
    onward: Onward


class Foresee(msgspec.Struct, frozen=True, kw_only=True):
    """A step cannot be begun, because what comes before it does not fit: it failed for good, and so does its run."""

    key: UnitKey
    trouble: Trouble
    letter: bytes


class Arrived(msgspec.Struct, frozen=True, kw_only=True):
    """A foreign worker has done a step, or a parcel of one, and this is its result; ours or not, it is done once.

    It counts while the unit is ready or running, whoever has it.
    """

    key: UnitKey
    result: bytes
    onward: Onward


#: What is decided about a unit that nobody has; where the unit is not as it should be for it, it changes nothing.
Decision: TypeAlias = Spread | PassOver | Foresee | Arrived


class UnitExchange(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker gives back, and what it wants instead; carried out in one step, in this order."""

    worker: str
    #: Greater than that of the worker's last exchange; the same when it is repeated because no answer came.
    number: int
    settled: Sequence[UnitSettlement] = ()
    decided: Sequence[Decision] = ()
    wanted: Sequence[UnitKey] = ()
    #: Seconds for which the worker has what it gets.
    lease: float = 30.0


#: Why a unit could not be claimed:
#: - `taken`: somebody has it under a lease that holds;
#: - `over`: it is done, failed, or its run has ended;
#: - `early`: steps before it are not done, or it is held back, or it is not due yet; workers will be told;
#: - `unknown`: there is no such run or step; of a parcel that was separated: `over`.
NoClaim: TypeAlias = Literal["taken", "over", "early", "unknown"]


class Advance(msgspec.Struct, frozen=True, kw_only=True):
    """How far a step is, after something of it was settled."""

    run: str
    step: str
    state: UnitState
    #: Items that are done or left out, of all; 1 of 1, or 0 of 1, where the step is done as a whole.
    done: int
    total: int


class UnitExchanged(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to an exchange."""

    #: One for each settlement: whether the worker had it still. If not, nothing changed.
    settled: Sequence[bool] = ()
    #: One for each decision: whether it was made.
    decided: Sequence[bool] = ()
    #: One for each unit wanted.
    claims: Sequence[UnitClaim | NoClaim] = ()
    #: Of each step that moved, how far it is now. Not told again when an exchange is repeated.
    advances: Sequence[Advance] = ()
    #: Whether units became ready, so that workers are to be told.
    ready: bool = False
    #: Whether runs have ended, so that whoever watches them is to be told, or letters wait.
    ended: bool = False


class EndedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that has ended, of which those who watch it have not been told."""

    id: str
    pipeline: str
    state: RunState
    ended_at: float
    #: The failed step, and why; only for a run that failed.
    step: str = ""
    trouble: Trouble | None = None


class RunLetter(msgspec.Struct, frozen=True, kw_only=True):
    """What a failed unit leaves for the dead letters."""

    id: str
    content: bytes


class RunFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which runs are meant; everything that is None matches all."""

    pipeline: str | None = None
    state: RunState | None = None
    #: Only runs that have a unit of this step which failed, or waits for somebody to stand in.
    troubled_step: str | None = None


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run in one line. Times are seconds since the epoch."""

    id: str
    pipeline: str
    state: RunState
    created: float
    ended_at: float | None
    steps_done: int
    steps: int
    #: Steps at work or ready, by name; of a failed run those that failed.
    now_at: tuple[str, ...] = ()
    trouble: Trouble | None = None


class StepLook(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a run as it stands."""

    name: str
    #: As that of its head; a step that waits for somebody to stand in is `ready` or `running`.
    state: UnitState
    phase: Phase
    #: Items done or left out, of all; 1 of 1 or 0 of 1 where it is done as a whole.
    done: int
    total: int
    #: How many of its items were left out, have failed, and wait for somebody to stand in.
    skipped: int
    failed: int
    compensating: int
    #: How many of its units somebody has now.
    running: int
    #: Failed attempts, of all of its units.
    failures: int
    deaths: int
    started_at: float | None
    ended_at: float | None
    worker: str = ""
    trouble: Trouble | None = None


class RunLook(msgspec.Struct, frozen=True, kw_only=True):
    """A run with all of its steps."""

    summary: RunSummary
    input: bytes
    steps: Sequence[StepLook]
