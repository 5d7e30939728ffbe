"""Runs and their steps, plain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from goatherd.desk.schedule_facts import time_of
from goatherd.model.envelope import moment
from goatherd.model.run_record import RunState, RunSummary, Trouble, UnitState

#: As that of a unit; besides, `compensating`: somebody is to stand in for it, and `new`: the code has it since later.
StepState: TypeAlias = UnitState | Literal["compensating", "new"]


@dataclass(frozen=True, kw_only=True)
class TroubleFacts:
    """Why something failed last."""

    error_type: str
    message: str
    traceback: str
    attempts: int


@dataclass(frozen=True, kw_only=True)
class RunFacts:
    """A run in one line."""

    run: str
    #: Or the scheduled task of which it is a tick.
    pipeline: str
    state: RunState
    created_at: datetime
    ended_at: datetime | None
    steps_done: int
    steps_total: int
    #: Steps at work or ready, by name; of a failed run those that failed.
    now_at: tuple[str, ...]
    trouble: TroubleFacts | None


@dataclass(frozen=True, kw_only=True)
class StepFacts:
    """A step of a run: a node of its graph."""

    name: str
    state: StepState
    #: The steps before it; only the code knows them.
    after: tuple[str, ...]
    #: The column in which it is drawn: greater than that of all before it.
    rank: int
    #: Whether the app still has it.
    in_code: bool
    queue: str | None
    #: Whether it is done item by item, and whether a program of somebody else does it.
    map: bool
    remote: bool
    #: Items done or left out, of all; 1 of 1 or 0 of 1 where it is done as a whole.
    done: int
    total: int
    #: How many of its items were left out, have failed, and wait for somebody to stand in.
    skipped: int
    failed: int
    compensating: int
    #: How many of its units somebody has now.
    running: int
    #: Failed attempts of all of its units, and workers lost with one.
    failures: int
    deaths: int
    started_at: datetime | None
    ended_at: datetime | None
    #: One that has something of it now.
    worker: str
    trouble: TroubleFacts | None

    @property
    def percent(self) -> float | None:
        """How far it is; None before its items are known."""
        return None if not self.total else 100.0 * self.done / self.total


@dataclass(frozen=True, kw_only=True)
class StepEdge:
    """One step waits for another."""

    source: str
    target: str


@dataclass(frozen=True, kw_only=True)
class RunDetail:
    """A run as a graph."""

    run: RunFacts
    #: What it was started with, without secrets.
    input: Any
    #: Whether the app has its pipeline; without it nobody knows what comes after what.
    in_code: bool
    #: Whether it is a tick of a schedule.
    tick: bool
    steps: tuple[StepFacts, ...]
    edges: tuple[StepEdge, ...]


def run_facts(summary: RunSummary) -> RunFacts:
    """A run in one line, plain."""
    return RunFacts(
        run=summary.id,
        pipeline=summary.pipeline,
        state=summary.state,
        created_at=moment(summary.created),
        ended_at=time_of(summary.ended_at),
        steps_done=summary.steps_done,
        steps_total=summary.steps,
        now_at=summary.now_at,
        trouble=trouble_facts(summary.trouble),
    )


def trouble_facts(trouble: Trouble | None) -> TroubleFacts | None:
    """Why something failed, plain."""
    return None if trouble is None else TroubleFacts(**msgspec.structs.asdict(trouble))
