"""What workers tell the records of a pipeline's runs, what they decide, and what they are answered."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from goatherd.model.run_record.units import Trouble, UnitClaim, UnitHold, UnitKey, UnitState


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
    #: The one that the decision was made in; None means any.
    round: int | None = None


class PassOver(msgspec.Struct, frozen=True, kw_only=True):
    """A step is not to be done in this run: its result is null."""

    key: UnitKey
    onward: Onward
    #: As in `Spread`.
    round: int | None = None


class Foresee(msgspec.Struct, frozen=True, kw_only=True):
    """A step cannot be begun, because what comes before it does not fit: it failed for good, and so does its run."""

    key: UnitKey
    trouble: Trouble
    letter: bytes
    #: As in `Spread`.
    round: int | None = None


class Arrived(msgspec.Struct, frozen=True, kw_only=True):
    """A foreign worker has done a step, or a parcel of one, and this is its result; ours or not, it is done once.

    It counts while the unit is ready or running, whoever has it.
    """

    key: UnitKey
    result: bytes
    onward: Onward


#: What is decided about a unit that nobody has; where the unit is not as it should be for it, it changes nothing. So it
#: is where steps before it were done anew since: what was decided by their results is void.
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
