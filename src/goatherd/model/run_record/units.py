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
    #: Grows each time that the step is done again from the beginning, also in a later run of the same id.
    round: int = 0


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
    #: As in `Turn`.
    round: int = 0

    @property
    def hold(self) -> "UnitHold":
        """What its worker shows."""
        return UnitHold(key=self.key, token=self.token)


class UnitHold(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker shows to have its way with a unit."""

    key: UnitKey
    token: int
