"""Runs and their steps: what is on record beside what the code says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from goatherd.desk.run_facts import StepFacts, StepState, run_facts, trouble_facts
from goatherd.desk.schedule_facts import time_of
from goatherd.model.redaction import redacted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.pipeline import PipelineDefinition, StepDefinition
    from goatherd.model.run_record import RunLook, StepLook

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class StepView:
    """A step of a run: what is on record of it, and what the code says; after a deploy one of them may be missing."""

    name: str
    look: StepLook | None
    code: StepDefinition | None

    @property
    def after(self) -> tuple[str, ...]:
        """The steps before it; only the code knows them."""
        return () if self.code is None else self.code.before

    @property
    def state(self) -> StepState:
        """In one word."""
        look = self.look
        if look is None:
            return "new"
        if look.phase == "compensate" and look.state in ("ready", "running"):
            return "compensating"
        if look.state != "spread":
            return look.state
        # Of a step that is done item by item, one wants to know what holds it up, or whether somebody is at it.
        if look.failed:
            return "failed"
        if look.running:
            return "running"
        return "compensating" if look.compensating else "ready"

    def facts(self, rank: int) -> StepFacts:
        """All of it, plain."""
        look, code = self.look, self.code
        return StepFacts(
            name=self.name,
            state=self.state,
            after=self.after,
            rank=rank,
            in_code=code is not None,
            queue=None if code is None else code.task.queue,
            map=code is not None and code.is_map,
            remote=code is not None and code.remote,
            done=0 if look is None else look.done,
            total=0 if look is None else look.total,
            skipped=0 if look is None else look.skipped,
            failed=0 if look is None else look.failed,
            compensating=0 if look is None else look.compensating,
            running=0 if look is None else look.running,
            failures=0 if look is None else look.failures,
            deaths=0 if look is None else look.deaths,
            started_at=None if look is None else time_of(look.started_at),
            ended_at=None if look is None else time_of(look.ended_at),
            worker="" if look is None else look.worker,
            trouble=None if look is None else trouble_facts(look.trouble),
        )

    def as_json(self) -> dict[str, Any]:
        """For programs at the command line."""
        told: dict[str, Any] = {"step": self.name, "in_code": self.code is not None, "after": self.after}
        if self.code is not None:
            told |= {"queue": self.code.task.queue, "map": self.code.is_map, "remote": self.code.remote}
        if self.look is None:
            return told | {"state": None}
        kept = {name: value for name, value in msgspec.structs.asdict(self.look).items() if name != "name"}
        times = {name: time_of(kept[name]) for name in ("started_at", "ended_at")}
        return told | kept | times | {"trouble": trouble_facts(self.look.trouble)}


def steps_of(look: RunLook, code: PipelineDefinition | None) -> list[StepView]:
    """All steps: those of the code in their order, then those that only the run has."""
    recorded = {step.name: step for step in look.steps}
    declared = dict(code.steps) if code is not None else {}
    names = [*declared, *(name for name in recorded if name not in declared)]
    return [StepView(name=name, look=recorded.get(name), code=declared.get(name)) for name in names]


def ranks_of(steps: Sequence[StepView]) -> Mapping[str, int]:
    """In which column each step is drawn: behind all that come before it."""
    ranks: dict[str, int] = {}
    # Steps of the code come in an order in which they may be done, so those before one are known.
    for step in steps:
        ranks[step.name] = max((ranks.get(name, -1) + 1 for name in step.after), default=0)
    return ranks


def short_run(run: str) -> str:
    """How a run is called in lists: the end of an id that we made, which is random; one that a user chose, in full."""
    return run[-12:] if _UUID.fullmatch(run) else run


def look_json(app: Goatherd, look: RunLook, steps: Sequence[StepView]) -> dict[str, Any]:
    """A run with its input, without secrets, and its steps, for programs at the command line."""
    told = vars(run_facts(look.summary))
    return told | {"input": run_input(app, look), "steps": [step.as_json() for step in steps]}


def run_input(app: Goatherd, look: RunLook) -> Any:
    """What the run was started with, without secrets."""
    return redacted(msgspec.json.decode(look.input), app.settings.redact)
