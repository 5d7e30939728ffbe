"""Runs as people see them, and what becomes of those that have ended."""

from collections.abc import Sequence

import msgspec

from goatherd.model.run_record.units import Phase, RunState, Trouble, UnitState


class EndedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that has ended, of which those who watch it have not been told."""

    id: str
    pipeline: str
    state: RunState
    ended_at: float
    #: The failed step, and why; of a run that is done, the last step, whose result is the run's.
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
